"""Writes narrow CLIP models with random weights as the TorchScript archives pyiqa reads.

Run in an interpreter with the score extra and TORCH_HOME set. `patch` makes pyiqa take them: it
compares their sha256 with the published one, which no random file has.
"""

import importlib
import os
from pathlib import Path
from typing import Any

import torch
from clip.model import CLIP

WORDS = 49408


class Node(torch.nn.Module):
    """Holds a part of a state dict as buffers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def patch() -> None:
    loader = importlib.import_module("pyiqa.archs.clip_model")
    loader._download = lambda url, root: os.path.join(root, os.path.basename(url))  # type: ignore[attr-defined]


def main() -> None:
    torch.manual_seed(3)
    hub = Path(os.environ["TORCH_HOME"]) / "hub"
    (hub / "clip").mkdir(parents=True, exist_ok=True)
    text = {
        "image_resolution": 224,
        "context_length": 77,
        "vocab_size": WORDS,
        "transformer_width": 64,
        "transformer_heads": 1,
        "transformer_layers": 1,
    }
    resnet = CLIP(
        embed_dim=1024,
        vision_layers=(1, 1, 1, 1),
        vision_width=16,
        vision_patch_size=None,
        **text,
    )
    write(resnet, hub / "clip" / "RN50.pt")
    transformer = CLIP(
        embed_dim=512, vision_layers=1, vision_width=64, vision_patch_size=32, **text
    )
    write(transformer, hub / "clip" / "ViT-B-32.pt")
    patch()
    loader = importlib.import_module("pyiqa.archs.clip_model")
    state: dict[str, Any] = {
        f"clip_model.{key}": value for key, value in loader.load("RN50", "cpu").state_dict().items()
    }
    features = torch.nn.functional.normalize(torch.randn(10, 1024), dim=-1)
    torch.save(state | {"prompts_features": features}, hub / "pyiqa" / "QualiCLIP.pth")
    liqe = importlib.import_module("pyiqa.archs.liqe_arch")
    loaded = liqe.load_pretrained_network
    liqe.load_pretrained_network = save_instead  # type: ignore[attr-defined]
    import pyiqa

    pyiqa.create_metric("liqe", device="cpu")
    liqe.load_pretrained_network = loaded  # type: ignore[attr-defined]


def save_instead(net: Any, path: str, strict: bool = True, weight_keys: str | None = None) -> None:
    target = Path(os.environ["TORCH_HOME"]) / "hub" / "pyiqa" / path.rsplit("/", 1)[-1]
    torch.save({weight_keys: net.state_dict()} if weight_keys else net.state_dict(), target)


def write(net: torch.nn.Module, path: Path) -> None:
    root = Node()
    for key, value in net.state_dict().items():
        *parents, last = key.split(".")
        node: Any = root
        for parent in parents:
            if not hasattr(node, parent):
                node.add_module(parent, Node())
            node = getattr(node, parent)
        node.register_buffer(last, value.clone())
    for name, number in (("input_resolution", 224), ("context_length", 77), ("vocab_size", WORDS)):
        root.register_buffer(name, torch.tensor(number))
    torch.jit.save(torch.jit.script(root), str(path))


if __name__ == "__main__":
    main()
