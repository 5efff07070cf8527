"""Tables and figures as files: CSV, Parquet, LaTeX, PNG, SVG, each with its provenance."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.model.text import clean_line, csv_cell
from b100tui.report.tables import Table

_TYPES = {"text": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN"}
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_SPECIAL = re.compile(r"[\\{}&%$#_~^]")


class Provenance(Struct, frozen=True, kw_only=True):
    """Where a file comes from: enough to make it again, byte for byte, and nothing that passes.

    `data` is a hash over every score, verdict and mark used; `bounds` the ranges that were
    stated; `n` counts; `left_out` says how many runs were, by reason.
    """

    tool: str
    command: str
    data: str
    reference: int
    steps: tuple[int, ...]
    by: str
    filter: str
    bounds: dict[str, tuple[float | None, float | None]]
    seeds: dict[str, int]
    n: dict[str, int]
    left_out: dict[str, int]
    versions: dict[str, str]


def csv_bytes(table: Table) -> bytes:
    """Return a table as CSV (UTF-8, full precision, formulas inert)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name, _ in table.columns])
    for row in table.rows:
        writer.writerow([_csv(value) for value in row])
    return out.getvalue().encode()


def tex_bytes(table: Table, provenance: Provenance) -> bytes:
    """Return a table as a LaTeX tabular (booktabs), provenance in comments."""
    lines = [f"% {line}" for line in _lines(provenance)]
    numeric = {"int", "float"}
    shape = "".join("r" if kind in numeric else "l" for _, kind in table.columns)
    lines += [r"\begin{table}", r"\centering", rf"\caption{{{tex_text(table.title)}}}"]
    lines += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule"]
    lines.append(_tex_row([tex_text(name.replace("_", " ")) for name, _ in table.columns]))
    lines.append(r"\midrule")
    lines += [_tex_row([tex_text(_short(value)) for value in row]) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {tex_text(note)}" for note in table.notes]
    lines += [r"\end{table}", ""]
    return "\n".join(lines).encode()


def _tex_row(cells: Sequence[str]) -> str:
    # After the end of a row LaTeX reads a bracket or a star as an option of that end.
    guard = "{}" if cells and cells[0][:1] in ("[", "*") else ""
    return guard + " & ".join(cells) + r" \\"


def write_parquet(table: Table, provenance: Provenance, path: Path) -> None:
    """Write a table as Parquet with the provenance in its metadata; the file appears at once."""
    import os

    import duckdb

    from b100tui.model.errors import StoreError

    columns = ", ".join(f'"{name}" {_TYPES[kind]}' for name, kind in table.columns)
    temporary = path.with_name(f".{path.name}.tmp")
    told = msgspec.json.encode(provenance).decode().replace("'", "''")
    target = str(temporary).replace("'", "''")
    con = duckdb.connect(":memory:", config={"threads": "1"})
    try:
        con.execute(f"CREATE TABLE t ({columns})")
        if table.rows:
            with con.appender("t") as appender:
                appender.append_rows([[_plain(value) for value in row] for row in table.rows])
        con.execute(
            f"COPY t TO '{target}' (FORMAT parquet, COMPRESSION zstd,"
            f" KV_METADATA {{b100: '{told}'}})"
        )
        os.replace(temporary, path)
    except (duckdb.Error, OSError) as error:
        raise StoreError(f"cannot write {path}: {error}", "choose a writable folder") from error
    finally:
        con.close()
        temporary.unlink(missing_ok=True)


def _lines(provenance: Provenance) -> list[str]:
    return [
        f"{key}: {clean_line(msgspec.json.encode(value).decode())}"
        for key, value in msgspec.to_builtins(provenance).items()
    ]


def _csv(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return csv_cell(str(value))


def _plain(value: Any) -> Any:
    return clean_line(value) if isinstance(value, str) else value


def _short(value: Any) -> str:
    if value is None:
        return "--"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return clean_line(str(value))


def tex_text(text: str) -> str:
    """Return `text` cleaned and with LaTeX's special characters escaped."""
    return _SPECIAL.sub(lambda hit: _LATEX[hit[0]], clean_line(text))
