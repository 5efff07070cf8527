"""All layouts in the order in which they are asked: the surest signs first."""

from functools import cache

from b100tui.sources.layouts.protocol import Layout


@cache
def layouts() -> tuple[Layout, ...]:
    """Return the layouts between the mapping and the guess."""
    from b100tui.sources.layouts import (
        a1111,
        agents,
        aistudio,
        comfyui,
        edival,
        exported,
        imagefolder,
        imgedit,
        magicbrush,
        msebench,
        own,
        parquet,
        pico_banana,
        trackio,
        wandb,
        webdataset,
    )

    return (
        own.LAYOUT,
        exported.LAYOUT,
        imagefolder.LAYOUT,
        pico_banana.LAYOUT,
        imgedit.LAYOUT,
        msebench.LAYOUT,
        parquet.LAYOUT,
        magicbrush.LAYOUT,
        edival.LAYOUT,
        agents.LAYOUT,
        aistudio.LAYOUT,
        trackio.LAYOUT,
        wandb.LAYOUT,
        webdataset.LAYOUT,
        comfyui.LAYOUT,
        a1111.LAYOUT,
    )
