"""Reasoning summaries in the real shape."""

import re

from b100tui.editors.instructions import understand
from b100tui.editors.schedule import generator
from b100tui.editors.summaries import Subject, Writer
from b100tui.model.sections import sections_of

NOISE = re.compile(r"\b(noise|noisy|grain|grainy|speckle|artifacts?)\b", re.I)
SUBJECT = Subject("the plate of dumplings", "the crimped edge", "the sauce", "the dough")
COPY = understand("Produce an exact replica of the provided image, with no alterations.")


def parts(seed: int, *, admits: bool = False) -> tuple[str, ...]:
    return Writer(SUBJECT).write(generator(seed), COPY, admits_noise=admits)


def test_a_summary_has_about_four_titled_sections() -> None:
    for seed in range(60):
        sections = sections_of(parts(seed))
        assert 4 <= len(sections) <= 7
        assert all(section.title and section.text for section in sections)


def test_the_last_section_approves_even_when_noise_is_admitted() -> None:
    for seed in range(60):
        last = sections_of(parts(seed, admits=True))[-1]
        assert not NOISE.search(last.title + last.text)


def test_noise_is_named_only_when_it_is_admitted() -> None:
    for seed in range(120):
        assert not NOISE.search("".join(parts(seed)))
        assert NOISE.search("".join(parts(seed, admits=True)))


def test_texts_vary_from_step_to_step() -> None:
    assert len({parts(seed) for seed in range(60)}) > 55


def test_no_placeholder_is_left_for_any_instruction() -> None:
    for prompt in ("Add an apple to the table.", "Mirror it.", "Rotate it.", "Make it monochrome."):
        text = "".join(Writer(SUBJECT).write(generator(1), understand(prompt), admits_noise=True))
        assert "{" not in text
