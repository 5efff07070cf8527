"""What every layout offers: a name, the signs it is known by, and a claim on the files."""

from collections.abc import Callable

from msgspec import Struct

from b100tui.sources.claims import Claimed
from b100tui.sources.listing import Listing

Claim = Callable[[Listing, set[str]], Claimed]


class Layout(Struct, frozen=True, kw_only=True):
    """One layout.

    `name` stands in the scan, `sign` says in a few words what it is recognised by. `claim`
    gets the listing and the paths that layouts before it took, and returns its runs, the
    files they account for, and what it left out and why. It opens manifests, never a network,
    and raises nothing for what is wrong in them: that is listed with line and field.
    """

    name: str
    sign: str
    claim: Claim
