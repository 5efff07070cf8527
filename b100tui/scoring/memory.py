"""How much memory there is and how much scoring needs: pure estimates from the registry."""

import os
from collections.abc import Iterable
from pathlib import Path

from b100tui.metrics import registry

_BASE = 1.1e9  # a process with torch and pyiqa imported (measured)
_UNKNOWN_PARAMETERS_M = 150.0
_UNKNOWN_BYTES_PER_PIXEL = 400.0
_ATTENTION = 4 * 6 * 4.0  # MUSIQ: 4 live maps of 6 heads in float32, tokens x tokens each
_TOKEN_PIXELS = 1024
_USABLE = 0.8
USUAL_PIXELS = 2816 * 1504  # when no size is known: what 2K editors return


def parameters(metric: str) -> float:
    """Return the bytes that the metric's float32 parameters take."""
    options = registry.row(metric).options
    if "params_m" in options:
        return float(options["params_m"]) * 4e6
    return _UNKNOWN_PARAMETERS_M * 4e6 if "pyiqa" in options else 0.0


def activations(metric: str, pixels: int) -> float:
    """Return the bytes of the metric's largest moment on one picture, estimated."""
    options = registry.row(metric).options
    fixed = float(options.get("fixed_gb", 0.0)) * 1e9
    usual = 20.0 if fixed else _UNKNOWN_BYTES_PER_PIXEL
    each = fixed + float(options.get("bytes_per_pixel", usual)) * pixels
    if registry.metric(metric).cost == "quadratic":
        each += _ATTENTION * (pixels / _TOKEN_PIXELS) ** 2
    return each


def of_process(metrics: Iterable[str], pixels: int) -> float:
    """Return the bytes of one process that measures `metrics` on pictures of `pixels`."""
    names = list(metrics)
    peak = max((activations(name, pixels) for name in names), default=0.0)
    return _BASE + sum(parameters(name) for name in names) + peak


def processes(metrics: Iterable[str], pixels: int, wanted: int, free: int) -> int:
    """Return how many processes fit, at least one."""
    each = of_process(metrics, pixels)
    return max(1, min(wanted, int(free * _USABLE / each)))


def groups(metrics: Iterable[str], pixels: int, free: int) -> list[tuple[str, ...]]:
    """Return `metrics` in groups, in their order, each of which fits into `free` bytes.

    A metric that does not fit by itself is a group of its own: it is tried, and named if it fails.
    """
    made: list[tuple[str, ...]] = []
    for name in metrics:
        if made and of_process((*made[-1], name), pixels) <= free * _USABLE:
            made[-1] = (*made[-1], name)
        else:
            made.append((name,))
    return made


def free_memory() -> int:
    """Return the bytes of memory that can be had, cgroup limits included where they are known."""
    found = [_available()]
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ):
        try:
            most = int(Path(limit).read_text(encoding="ascii"))
            found.append(max(0, most - int(Path(used).read_text(encoding="ascii"))))
        except (OSError, ValueError):
            continue  # no such limit here
    return min(found)


def _available() -> int:
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return half
    told = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return told[0] if told else half


def resident(pids: Iterable[int]) -> int:
    """Return the resident bytes of these processes together; 0 where it cannot be read."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
        except OSError:
            continue  # gone meanwhile
        total += int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def free_gpu_memory() -> int:
    """Return the free bytes of the emptiest NVIDIA GPU; 0 where there is none to see."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return 0
    try:
        handles = map(pynvml.nvmlDeviceGetHandleByIndex, range(pynvml.nvmlDeviceGetCount()))
        return max((int(pynvml.nvmlDeviceGetMemoryInfo(each).free) for each in handles), default=0)
    except pynvml.NVMLError:
        return 0
    finally:
        pynvml.nvmlShutdown()


def devices(wanted: str) -> list[str]:
    """Return one device a worker: auto and cuda mean every GPU to see, else the names given."""
    if wanted not in {"auto", "cuda"}:
        return [name.strip() for name in wanted.split(",") if name.strip()] or ["cpu"]
    count = _gpu_count()
    return [f"cuda:{number}" for number in range(count)] if count > 1 else [wanted]


def _gpu_count() -> int:
    """Return how many NVIDIA GPUs this process may use."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([name for name in visible.split(",") if name.strip() not in {"", "-1"}])
    import pynvml

    try:
        pynvml.nvmlInit()
        count = int(pynvml.nvmlDeviceGetCount())
        pynvml.nvmlShutdown()
    except pynvml.NVMLError:
        return 0
    return count
