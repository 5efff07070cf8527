"""Simulated reasoning summaries: about four titled sections, the last ones self-evaluation."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from b100tui.editors.instructions import Instruction

if TYPE_CHECKING:
    import numpy as np

_SECOND_ROUND = 0.07


class Subject(Struct, frozen=True):
    """Words for a picture, each with its article: "a plate of dumplings", "the crimped edges"."""

    scene: str = "the picture"
    part: str = "the main subject"
    other: str = "the background"
    surface: str = "the surface"


@cache
def _pools() -> dict[str, Any]:
    text = files("b100tui.editors").joinpath("summaries.toml").read_bytes()
    pools: dict[str, Any] = msgspec.toml.decode(text)
    return pools


class Writer:
    """Writes the summaries of one picture."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def write(
        self, random: "np.random.Generator", instruction: Instruction, *, admits_noise: bool
    ) -> tuple[str, ...]:
        """Return the raw thought parts of one step, as bold titles over paragraphs.

        The summary stays confident whatever the picture looks like; only with `admits_noise`
        does one section name the noise, and still the last one approves.
        """
        kinds = ["look", "plan", "check", "final"]
        if admits_noise:
            kinds.insert(int(random.integers(1, 4)), "noise")
        if random.random() < _SECOND_ROUND:
            kinds[-1:] = ["round", "round", "final"]
        elif random.random() < 0.25:
            kinds.insert(1, "look")
        words = self._words(instruction)
        used: set[str] = set()
        sections = []
        for kind in kinds:
            entry = self._entry(random, kind, used)
            sentences = entry["text"]
            text = sentences[int(random.integers(len(sentences)))].format(**words)
            sections.append(f"**{entry['title'].format(**words)}**\n\n{text}\n\n\n")
        if random.random() < 0.3:
            return ("".join(sections),)
        return tuple(sections)

    def _entry(self, random: "np.random.Generator", kind: str, used: set[str]) -> dict[str, Any]:
        """One entry of a pool, none twice in a summary; rounds come in their written order."""
        pool = [entry for entry in _pools()[kind] if entry["title"] not in used]
        entry: dict[str, Any] = pool[0 if kind == "round" else int(random.integers(len(pool)))]
        used.add(entry["title"])
        return entry

    def _words(self, instruction: Instruction) -> dict[str, str]:
        subject = msgspec.structs.asdict(self._subject)
        task = _pools()["tasks"][instruction.action]
        words = {name: str(text) for name, text in subject.items()}
        thing = instruction.thing
        article = "an" if thing[:1] in tuple("aeiou") else "a"
        words |= {
            "task": task["task"],
            "goal": task["goal"].format(thing=f"{article} {thing}"),
            "thing": thing,
        }
        capital = {name.capitalize(): text[:1].upper() + text[1:] for name, text in words.items()}
        bare = subject["scene"].split(" ", 1)[-1]
        capital["Scene"] = " ".join(
            word if word in {"of", "in", "on", "at", "and", "with", "after"} else word.capitalize()
            for word in bare.split()
        )
        return words | capital
