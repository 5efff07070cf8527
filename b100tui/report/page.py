"""The report as one HTML file: everything inside, nothing loaded, readable without a script."""

import base64
import html
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.model.text import clean, clean_line
from b100tui.report.tables import Table
from b100tui.report.writing import Provenance

_KINDS = {"png": "image/png", "svg": "image/svg+xml", "jpeg": "image/jpeg"}
_MOST_ROWS = 400


class Part(Struct, frozen=True, kw_only=True):
    """One part of the page: a heading, words, pictures as (kind, bytes, description), a table."""

    heading: str
    words: str = ""
    pictures: tuple[tuple[str, bytes, str], ...] = ()
    table: Table | None = None
    command: str = ""


def page_bytes(title: str, parts: Sequence[Part], provenance: Provenance) -> bytes:
    """Return the page as UTF-8. Foreign text is escaped; a policy inside forbids any loading."""
    style = files("b100tui.report").joinpath("page.css").read_text(encoding="utf-8")
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    body = [f"<h1>{_words(title)}</h1>"]
    body += ["<nav><ul>"]
    body += [f'<li><a href="#p{n}">{_words(one.heading)}</a></li>' for n, one in enumerate(parts)]
    body += ['<li><a href="#provenance">Provenance</a></li></ul></nav>']
    for number, part in enumerate(parts):
        body += [f'<section id="p{number}"><h2>{_words(part.heading)}</h2>']
        if part.words:
            body.append(f"<p>{_words(part.words)}</p>")
        for kind, data, said in part.pictures:
            source = f"data:{_KINDS[kind]};base64,{base64.b64encode(data).decode()}"
            body.append(
                f'<figure><img alt="{_words(said)}" src="{source}">'
                f"<figcaption>{_words(said)}</figcaption></figure>"
            )
        if part.table is not None:
            body.append(_table(part.table))
        if part.command:
            body.append(f"<p class=command><code>{_words(part.command)}</code></p>")
        body.append("</section>")
    body.append('<section id="provenance"><h2>Provenance</h2>')
    body.append(_facts(msgspec.to_builtins(provenance)))
    body.append("</section>")
    whole = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_words(title)}</title>\n<style>\n{style}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )
    return whole.encode()


def _table(table: Table) -> str:
    head = "".join(f"<th>{_words(name.replace('_', ' '))}</th>" for name, _ in table.columns)
    rows = []
    for row in table.rows[:_MOST_ROWS]:
        cells = "".join(
            f"<td{'' if kind == 'text' else ' class=n'}>{_words(_shown(value))}</td>"
            for value, (_, kind) in zip(row, table.columns, strict=True)
        )
        rows.append(f"<tr>{cells}</tr>")
    notes = [*table.notes]
    if len(table.rows) > _MOST_ROWS:
        notes.append(f"the first {_MOST_ROWS} of {len(table.rows)} rows; the CSV has all")
    under = "".join(f"<p class=note>{_words(note)}</p>" for note in notes)
    return (
        f"<div class=wide><table><caption>{_words(table.title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{under}"
    )


def _facts(facts: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{_words(key)}</th><td><code>"
        f"{_words(value if isinstance(value, str) else msgspec.json.encode(value).decode())}"
        "</code></td></tr>"
        for key, value in facts.items()
    )
    return f"<div class=wide><table class=facts>{rows}</table></div>"


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return clean_line(str(value))


def _words(text: str) -> str:
    return html.escape(clean(text), quote=True)
