"""Tables as LaTeX and Parquet: what stands in the files."""

import re
from pathlib import Path

import duckdb
import msgspec
import pytest

from b100tui.report.tables import Table
from b100tui.report.writing import Provenance, csv_bytes, tex_bytes, tex_text, write_parquet

TABLE = Table(
    name="t",
    title="50 % of a_b & c",
    columns=(("name", "text"), ("raw_gap", "float"), ("n", "int"), ("failure", "bool")),
    rows=(
        ("plain", 1.23456789, 3, True),
        ("a_b & 5 % {x} ~ ^ $ # \\end", -1e-12, 0, False),
        ("[2cm]", None, None, None),
        ("*", 1e305, 2**40, True),
        ("two\nlines\x1b[31m", 0.1 + 0.2, -1, False),
        ("it's; drop 木", float(2**53), 1, None),
    ),
    notes=("n_1 is 100 % #1",),
)
FROM = Provenance(
    tool="b100",
    command="b100 report --root 'it''s' \n%",
    data="d",
    reference=1,
    steps=(5, 10),
    by="image",
    filter="editor:'pro'",
    bounds={"pi": (None, 20.0)},
    seeds={},
    n={"runs": 2},
    left_out={},
    versions={},
)


def tex() -> list[str]:
    return tex_bytes(TABLE, FROM).decode().splitlines()


def body() -> list[str]:
    lines = tex()
    return lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]


def test_every_row_has_as_many_cells_as_the_tabular_has_columns() -> None:
    (shape,) = re.findall(r"begin\{tabular\}\{(\w+)\}", "\n".join(tex()))
    assert shape == "lrrl"
    head = tex()[tex().index(r"\toprule") + 1]
    for line in (head, *body()):
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == len(shape) - 1
    assert len(body()) == len(TABLE.rows)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b", r"a\_b"),
        ("50 %", r"50 \%"),
        ("R&D", r"R\&D"),
        ("$x^2$", r"\$x\textasciicircum{}2\$"),
        ("{#}", r"\{\#\}"),
        ("~", r"\textasciitilde{}"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
    ],
)
def test_special_characters_are_escaped_once(text: str, escaped: str) -> None:
    assert tex_text(text) == escaped


def test_no_special_character_is_left_bare_in_a_row() -> None:
    for line in body():
        bare = re.sub(r"\\[{}&%$#_]|\\text\w+\{\}|\{\}", "", line)
        assert not re.search(r"[{}%$#_~^]", bare), line


def test_a_bracket_or_star_that_begins_a_row_is_no_option_of_the_row_before() -> None:
    assert body()[2].startswith("{}[2cm] & -- & -- & --")
    assert body()[3].startswith("{}* & 1e+305")


def test_provenance_stays_in_comments() -> None:
    lines = tex()
    begin = lines.index(r"\begin{table}")
    assert begin > 5 and all(line.startswith("% ") for line in lines[:begin])


def test_titles_and_notes_are_escaped() -> None:
    assert r"\caption{50 \% of a\_b \& c}" in tex()
    assert r"\par\footnotesize n\_1 is 100 \% \#1" in tex()


def test_parquet_holds_types_values_and_nulls(tmp_path: Path) -> None:
    path = tmp_path / "it's.parquet"
    write_parquet(TABLE, FROM, path)
    read = duckdb.connect().read_parquet(str(path))
    assert read.columns == ["name", "raw_gap", "n", "failure"]
    assert [str(one) for one in read.types] == ["VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"]
    rows = read.fetchall()
    assert rows[0] == TABLE.rows[0] and rows[1][0] == TABLE.rows[1][0]
    assert [row[1:] for row in rows] == [row[1:] for row in TABLE.rows]
    assert rows[4][0] == "two lines" and rows[5][0] == "it's; drop 木"


def test_parquet_carries_its_provenance(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(TABLE, FROM, path)
    ((told,),) = duckdb.sql(
        f"SELECT value FROM parquet_kv_metadata('{path}') WHERE key = 'b100'"
    ).fetchall()
    assert msgspec.json.decode(told, type=Provenance) == FROM


def test_parquet_and_csv_hold_the_same_numbers(tmp_path: Path) -> None:
    path, lines = tmp_path / "t.parquet", tmp_path / "t.csv"
    write_parquet(TABLE, FROM, path)
    lines.write_bytes(csv_bytes(TABLE))
    both = duckdb.sql(
        f"SELECT p.raw_gap, c.raw_gap FROM read_parquet('{path}') p POSITIONAL JOIN"
        f" read_csv('{lines}', types={{'raw_gap': 'DOUBLE'}}) c"
    ).fetchall()
    assert all(one == other for one, other in both) and len(both) == len(TABLE.rows)


def test_a_table_without_rows_keeps_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(msgspec.structs.replace(TABLE, rows=()), FROM, path)
    read = duckdb.connect().read_parquet(str(path))
    assert read.columns == ["name", "raw_gap", "n", "failure"] and read.fetchall() == []
