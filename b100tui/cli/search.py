"""`b100 search QUERY`: words in prompts and reasoning summaries."""

import argparse

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate
from b100tui.cli.tabular import counted
from b100tui.model.errors import UsageError
from b100tui.model.text import clean, clean_line

EPILOG = """Words are ANDed. "a phrase", pre* (words that begin so), -not, field:value with
run, image, setting, recipe, editor, model, step, section, title, prompt, text.

examples:
  b100 search 'final check'
  b100 search '"grain texture" -plate' --filter 'editor:pro step>10'
  b100 search 'exam* step:1-20 image:dongpo' --json"""
INLINE_STEPS = 5_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 search`."""
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words to look for")
    parser.set_defaults(dashed="query")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="hits (default 20)")
    parser.add_argument("--filter", metavar="EXPR", help="only steps for which this holds")
    add_refresh(parser)
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """Search and print the hits."""
    from b100tui.index.text_query import parse_query

    query = " ".join(args.query)
    if args.limit < 1:
        raise UsageError(f"--limit {args.limit}: at least 1 hit", "e.g. --limit 20")
    parse_query(query)
    index = opened(args)
    if not args.no_refresh:
        from b100tui.index.tail import start_builder
        from b100tui.index.text import build_text, newest_text

        held = newest_text(index.cache)
        if index.total_steps() <= INLINE_STEPS:
            build_text(index.root)
        elif held is None or held[0] != index.generation:
            start_builder(index.root)
            narrate("the text index is being made in the background; reading the texts meanwhile")
    result = index.search(query, args.limit, args.filter)
    if args.json:
        emit_json(result)
        return 0
    if args.jsonl:
        emit_jsonl(result.hits)
        return 0
    for hit in result.hits:
        print(f"{clean_line(hit.run)}@{hit.step}  {clean_line(hit.title)}")
        print(f"    {clean(hit.snippet)}")
    note = "" if result.ranked else ", in order of runs"
    found = f"{counted(result.total, 'hit')}, {len(result.hits)} shown{note}"
    print(f"{found} ({1000 * result.seconds:.0f} ms)")
    return 0
