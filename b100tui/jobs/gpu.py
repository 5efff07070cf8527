"""GPU load and memory by NVML."""

from b100tui.jobs.records import Gpu
from b100tui.model.text import clean_line


def gpus() -> tuple[Gpu, ...]:
    """Return load and memory of every NVIDIA GPU; empty where there is none to see."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    found = []
    try:
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
            found.append(
                Gpu(
                    name=clean_line(str(pynvml.nvmlDeviceGetName(handle))),
                    load=int(pynvml.nvmlDeviceGetUtilizationRates(handle).gpu),
                    used=int(memory.used),
                    total=int(memory.total),
                )
            )
    except pynvml.NVMLError:
        return tuple(found)  # a GPU in a mode without these readings is left out
    finally:
        pynvml.nvmlShutdown()
    return tuple(found)
