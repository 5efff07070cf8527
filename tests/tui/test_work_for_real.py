"""What the dialogs begin is a command that does it: on real files, with the job run in place."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import b100tui.jobs
from b100tui.cli.main import main
from b100tui.index.build import refresh
from b100tui.index.store import Index, open_index
from b100tui.model.errors import UsageError
from b100tui.tui.asker import Question, RootAsker
from b100tui.tui.maker import Order, RootMaker
from b100tui.tui.scorer import RootScorer, Wish, count_steps, make_plan

RUN = "plate"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root" / "plate"
    folder.mkdir(parents=True)
    for step in range(3):
        picture = Image.effect_noise((96, 96), 40 + step).convert("RGB")
        picture.save(folder / f"plate_step_{step}.png")
    refresh(tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def index(root: Path) -> Index:
    return open_index(root)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words of each job that would have been started, `b100` left away."""
    words: list[list[str]] = []

    def start(root: Path, kind: str, argv: Any, *_: Any, **__: Any) -> str:
        words.append(list(argv)[3:])
        return f"{kind}-1"

    monkeypatch.setattr(b100tui.jobs, "start", start)
    return words


def run_of(index: Index) -> str:
    return index.runs()[0].run


def test_what_scoring_begins_makes_the_planned_values(root, index, started):
    scorer = RootScorer(root, index, "", None)
    rows = index.runs()
    wish = Wish((rows[0].run,), ("noise_sigma", "lab_l"), "1-")
    before = make_plan(count_steps(rows, wish.steps), wish, scorer.known(rows, [1, 2]), 0.0)
    assert (before.wanted, before.there) == (4, 0)
    scorer.begin(wish, "two probes")
    assert main(started[0]) == 0
    assert index.poll()
    after = scorer.known(rows, [1, 2])
    assert after.there == {"noise_sigma": 2, "lab_l": 2} and after.seconds["lab_l"] > 0


def test_probes_can_always_be_ticked_and_what_cannot_run_says_why(root, index):
    choices = {choice.metric.id: choice for choice in RootScorer(root, index, "", None).choices()}
    assert choices["noise_sigma"].ready and choices["noise_sigma"].usual
    assert not choices["psnr"].usual
    assert all(choice.ready or choice.reason for choice in choices.values())


def test_a_step_of_a_foreign_run_is_forked_and_its_steps_are_made(root, index, started):
    maker = RootMaker(root, index, None)
    run = run_of(index)
    assert "forked, never written into" in maker.choices(run).fixed
    before = sorted(path.name for path in (root / "plate").iterdir() if path.is_file())
    order = Order(way="fork", run=run, step=2, image="plate", steps=2, editor="simulate",
                  recipe="replicate")  # fmt: skip
    assert maker.quote(order).images == 2 and maker.quote(order).is_free
    begun = maker.begin(order, None)
    assert main(started[0]) == 0
    refresh(root)
    made = open_index(root).find_run(begun.run)
    assert (made.last_step, made.parent) == (2, f"{run}@2")
    assert sorted(path.name for path in (root / "plate").iterdir() if path.is_file()) == before


def test_a_run_that_b100_made_is_gone_on_with(root, index, started):
    maker = RootMaker(root, index, None)
    order = Order(way="fork", run=run_of(index), step=0, image="plate", steps=1,
                  editor="simulate", recipe="replicate")  # fmt: skip
    begun = maker.begin(order, None)
    assert main(started[0]) == 0
    assert maker.choices(begun.run).fixed == ""
    more = Order(way="continue", run=begun.run, step=1, image="plate", steps=2)
    assert maker.begin(more, None).run == begun.run
    assert main(started[1]) == 0
    refresh(root)
    assert open_index(root).find_run(begun.run).last_step == 3


def test_paid_work_without_a_cap_is_refused_before_anything_is_written(root, index, started):
    maker = RootMaker(root, index, None)
    order = Order(way="fork", run=run_of(index), step=0, image="plate", steps=1,
                  editor="nano-banana-pro", recipe="replicate")  # fmt: skip
    assert maker.quote(order).usd.high > 0
    with pytest.raises(UsageError, match="needs a cap"):
        maker.begin(order, None)
    assert started == [] and [path.name for path in root.iterdir() if path.is_dir()
                              and path.name != ".b100"] == ["plate"]  # fmt: skip


def test_judging_steps_without_a_summary_costs_nothing_and_is_recorded(root, index, started):
    asker = RootAsker(root, index, None)
    rows = index.runs()
    question = Question(judge=asker.judges()[0].id, runs=(rows[0].run,))
    price = asker.price(rows, question)
    assert (price.steps, price.summaries, price.most) == (2, 0, 0.0)
    asker.begin(question, None, "judge", price.steps)
    assert main(started[0]) == 0
    refresh(root)
    verdicts = open_index(root).verdicts(rows[0].run)
    assert [verdict.verdict for verdict in verdicts] == ["no_summary", "no_summary"]
