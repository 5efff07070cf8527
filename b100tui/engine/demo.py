"""The simulated data set: makes a folder of runs with planted truth, whole or resumable."""

import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.editors.schedule import Schedule, profiles
from b100tui.engine.demo_plan import Job, demo_jobs
from b100tui.model.errors import UNPARSABLE, StoreError, UsageError
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.locks import hold
from b100tui.workspace.places import data_home

Progress = Callable[[int, int, str], None]
DEFAULT_SEED = 100
_MARK = "demo.json"
TRUTH = "truth.json"


class DemoReport(Struct, frozen=True):
    """What lies in the folder now; `kept` when it was there already and nothing was made."""

    root: str
    runs: int
    steps: int
    truth: str
    kept: bool = False
    made: int = 0


class _Mark(Struct, frozen=True):
    """`.b100/demo.json`: this folder is a demo, of which scale and seed, and whether whole."""

    scale: str
    seed: int
    complete: bool
    simulated: bool = True
    schema: int = 1


_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # of glibc's malloc.h


def demo_root() -> Path:
    """Return where `explore --demo` keeps it: the user's data folder (it may hold marks)."""
    return data_home() / "demo"


def ensure_demo(
    folder: Path,
    scale: str = "small",
    seed: int = DEFAULT_SEED,
    progress: Progress | None = None,
    *,
    workers: int | None = None,
    only: Iterable[str] | None = None,
) -> DemoReport:
    """Make the demo in `folder`, or finish an interrupted one, or say that it is there.

    `progress` is told (runs done, runs in all, run id). `only` limits the images, for a quick
    look and for tests. Raises UsageError for a folder that holds anything else or a demo of
    another scale or seed, StoreError when the disk refuses, LockHeldError when another process
    is making the same demo.
    """
    jobs = demo_jobs(scale, seed)
    if only is not None:
        wanted = set(only)
        jobs = [job for job in jobs if job.image in wanted]
    mark = _claim(folder, scale, seed)
    with hold(folder / ".b100" / "demo.lock", "making the demo"):
        missing = [job for job in jobs if not (folder / job.run / "run.json").is_file()]
        if mark.complete and not missing:
            return _report(folder, jobs, kept=True)
        shutil.rmtree(folder / ".b100" / "building", ignore_errors=True)
        _make(folder, missing, progress, len(jobs), workers)
        truth = {"schema": 1, "simulated": True, "scale": scale, "seed": seed}
        truth["runs"] = {job.run: run_truth(job) for job in jobs}
        write_atomic(folder / TRUTH, msgspec.json.format(msgspec.json.encode(truth), indent=1))
        _set_mark(folder, _Mark(scale, seed, complete=True))
        shutil.rmtree(folder / ".b100" / "building", ignore_errors=True)
    return _report(folder, jobs, made=len(missing))


def run_truth(job: Job) -> dict[str, Any]:
    """Return what is planted in one run, as truth.json holds it.

    `drift` lists the steps at which the geometry changes, with zoom (share), dx and dy (pixels
    of that step) accumulated against step 1.
    """
    from b100tui.engine.demo_scores import LIAR

    planted: Schedule = job.schedule
    drift = []
    for shift in planted.shifts:
        dx, dy = planted.move_at(shift.step)
        drift.append(
            {
                "step": shift.step,
                "zoom": round(planted.zoom_at(shift.step), 6),
                "dx": round(dx, 3),
                "dy": round(dy, 3),
            }
        )
    reasons = job.group.reasons
    noticed = [step for step in planted.noticed if step <= job.made and reasons]
    return {
        "profile": planted.profile,
        "about": profiles()[planted.profile].about,
        "seed": planted.seed,
        "strength": planted.strength,
        "onset": planted.onset,
        "drift": drift,
        "ignored": list(planted.ignored),
        "refused": planted.refused,
        "first_yes": noticed[0] if noticed else None,
        "noticed": noticed,
        "steps": job.made,
        "liar": LIAR if planted.onset is not None else None,
    }


def _claim(folder: Path, scale: str, seed: int) -> _Mark:
    """Return the folder's mark, made now when the folder is new or empty."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = sorted(os.listdir(folder))
    except OSError as error:
        raise StoreError(
            f"cannot use {folder}: {error.strerror}", "name a folder that can be written"
        ) from error
    path = folder / ".b100" / _MARK
    try:
        mark = msgspec.json.decode(path.read_bytes(), type=_Mark)
    except (OSError, *UNPARSABLE) as error:
        if held:
            raise UsageError(
                f"{folder} holds other files ({held[0]}, ...): no demo is written into it",
                "name a new or an empty folder",
            ) from error
        mark = _Mark(scale, seed, complete=False)
        (folder / ".b100").mkdir(exist_ok=True)
        _set_mark(folder, mark)
    if (mark.scale, mark.seed) != (scale, seed):
        raise UsageError(
            f"{folder} holds the demo of scale {mark.scale}, seed {mark.seed}",
            f"name another folder, or ask for --scale {mark.scale} --seed {mark.seed}",
        )
    return mark


def _set_mark(folder: Path, mark: _Mark) -> None:
    write_atomic(folder / ".b100" / _MARK, msgspec.json.encode(mark))


def _make(
    folder: Path, jobs: list[Job], progress: Progress | None, total: int, workers: int | None
) -> None:
    from b100tui.engine.demo_run import draw_initial, make_run

    done = total - len(jobs)
    count = min(workers or _cores(), len(jobs))
    images = sorted({(job.image, job.seed) for job in jobs})
    if progress:
        progress(done, total, "")  # initial images come first: a person sees that it has begun
    if count <= 1:
        for image, seed in images:
            draw_initial(folder, image, seed)
        for job in jobs:
            make_run(folder, job)
            done += 1
            if progress:
                progress(done, total, job.run)
        return
    # spawn: the caller may hold threads, which fork would copy in an unknown state
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_prepare_worker) as pool:
        for drawn in [pool.submit(draw_initial, folder, *image) for image in images]:
            drawn.result()
        pending = {pool.submit(make_run, folder, job): job for job in jobs}
        try:
            for future in as_completed(pending):
                future.result()
                done += 1
                if progress:
                    progress(done, total, pending[future].run)
        except BaseException:  # ctrl-c too: what is queued shall not be made any more
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _prepare_worker() -> None:
    """One OpenCV thread a worker, which fill the cores already; ctrl-c is the parent's matter."""
    import ctypes
    import signal

    import cv2

    tune = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc alone has it
    if tune is not None:
        # pictures come and go: memory handed back would be zeroed anew for every array
        tune(_M_MMAP_MAX, 0)
        tune(_M_TRIM_THRESHOLD, 1 << 30)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cv2.setNumThreads(1)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _report(folder: Path, jobs: list[Job], *, kept: bool = False, made: int = 0) -> DemoReport:
    """Steps are counted with the initial image of each run."""
    steps = sum(job.made + 1 for job in jobs)
    return DemoReport(str(folder), len(jobs), steps, str(folder / TRUTH), kept, made)
