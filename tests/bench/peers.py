"""Other terminal programs, each on 28,000 rows of its own kind of file, as benchmarks start them.

They are looked for in the environments that B100_BENCH_PEERS names, then on the PATH. Harlequin
and toolong ask for different releases of Textual: each needs an environment of its own.
"""

import os
import shutil
from pathlib import Path

PEERS = "pip install it into an environment, then --peers VENV"
ROWS = 28_000


def program(name: str) -> str | None:
    """Return the path of a peer's program, None where it is not installed."""
    folders = os.environ.get("B100_BENCH_PEERS", "").split(os.pathsep)
    places = [str(Path(folder) / "bin") for folder in folders if folder]
    return shutil.which(name, path=os.pathsep.join([*places, os.environ.get("PATH", "")]))


def readers(folder: Path) -> dict[str, tuple[list[str], bytes]]:
    """Return the words that start each peer that is here, and what its first frame writes."""
    import duckdb

    lines = [f"image-{n // 200:03}/replicate-2k-{n // 50 % 4}/run-{n % 50}" for n in range(ROWS)]
    table, log, base = folder / "runs.csv", folder / "runs.log", folder / "runs.duckdb"
    table.write_text("\n".join(["run", *lines]))
    log.write_text("\n".join(lines))
    base.unlink(missing_ok=True)
    with duckdb.connect(str(base)) as con:
        con.execute(f"CREATE TABLE runs AS FROM read_csv('{table}')")
    wanted: dict[str, tuple[list[str], bytes]] = {
        "harlequin": ([str(base)], b"Catalog"),
        "toolong": ([str(log)], b"image-"),
        "visidata": ([str(table)], b"image-"),
    }
    binaries = {"toolong": "tl", "visidata": "vd"}
    found = {name: program(binaries.get(name, name)) for name in wanted}
    home = ["/usr/bin/env", f"HOME={folder}"]  # none of them reads or leaves settings of yours
    return {
        name: ([*home, path, *wanted[name][0]], wanted[name][1])
        for name, path in found.items()
        if path
    }
