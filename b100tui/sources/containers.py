"""Pictures inside other files: which kind of container a reference means."""

from b100tui.model.records import PictureRef
from b100tui.sources.header import Header, parse_header


def read_member(place: str, ref: PictureRef) -> bytes:
    """Return the bytes of the picture `ref.member` in the container at `place`.

    A member is row:column in a Parquet shard, a name in a tar archive, a place in a JSON
    export. Raises PictureError when container or member cannot be read.
    """
    path = ref.path.lower()
    if path.endswith(".parquet"):
        from b100tui.sources.shards import read_member as from_shard

        return from_shard(place, ref)
    if ".tar" in path and not path.endswith(".json"):
        from b100tui.sources.tars import read_member as from_tar

        return from_tar(place, ref)
    from b100tui.sources.inline import read_member as from_json

    return from_json(place, ref)


def member_header(place: str, ref: PictureRef) -> tuple[Header, int]:
    """Return header and size in bytes of a picture in a container; raises PictureError."""
    path = ref.path.lower()
    if path.endswith(".parquet"):
        from b100tui.sources.shards import member_header as of_shard

        return of_shard(place, ref)
    if ".tar" in path and not path.endswith(".json"):
        from b100tui.sources.tars import member_header as of_tar

        return of_tar(place, ref)
    data = read_member(place, ref)
    return parse_header(lambda count, at: data[at : at + count], len(data)), len(data)
