"""OSC 52: the terminal's clipboard, also from the far end of SSH and through tmux."""

import base64

LIMIT = 74_994  # what common terminals take at most, in base64


def osc52(text: str, *, tmux: bool) -> str | None:
    """Return the sequence that puts `text` on the clipboard; None when it is too long.

    Inside tmux it is passed through to the terminal outside, which needs allow-passthrough.
    """
    coded = base64.b64encode(text.encode()).decode()
    if len(coded) > LIMIT:
        return None
    plain = f"\x1b]52;c;{coded}\x07"
    if not tmux:
        return plain
    # tmux takes the plain form into its own buffer, and passes the wrapped one on.
    return plain + "\x1bPtmux;" + plain.replace("\x1b", "\x1b\x1b") + "\x1b\\"
