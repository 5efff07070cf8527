"""Writes cache files with random weights for pyiqa's nets, in the places and forms it reads.

Run in an interpreter with the score extra: random_weights.py NAME... with TORCH_HOME and HF_HOME
set. The nets are built by pyiqa itself; where it would load a file, its state is saved there.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import timm
import torch
import torchvision
from safetensors.torch import save_file

HUB = Path(os.environ["TORCH_HOME"]) / "hub"
HF = Path(os.environ["HF_HOME"]) / "hub"
TIMM = {
    "resnet50": "timm/resnet50.a1_in1k",
    "vit_base_patch8_224": "timm/vit_base_patch8_224.augreg2_in21k_ft_in1k",
    "inception_resnet_v2": "timm/inception_resnet_v2.tf_in1k",
}
VISION = {
    "resnet18": "resnet18-f37072fd.pth",
    "resnet50": "resnet50-0676ba61.pth",
    "vgg16": "vgg16-397923af.pth",
}


def main(names: list[str]) -> None:
    torch.manual_seed(11)
    made = timm.create_model
    import pyiqa

    def create(name: str, pretrained: bool = False, **options: Any) -> Any:
        save_hub(name, made)
        return made(name, pretrained=False, **options)

    timm.create_model = create
    for name, file in VISION.items():
        patch_vision(name, file)
    for name in names:
        if name == "arniqa":
            write_arniqa()
            continue
        architecture = importlib.import_module(ARCHITECTURES[name])
        architecture.load_pretrained_network = save_instead
        pyiqa.create_metric(name, device="cpu")
        print(name, flush=True)


ARCHITECTURES = {
    "cnniqa": "pyiqa.archs.cnniqa_arch",
    "wadiqam_nr": "pyiqa.archs.wadiqam_arch",
    "dbcnn": "pyiqa.archs.dbcnn_arch",
    "hyperiqa": "pyiqa.archs.hypernet_arch",
    "maniqa": "pyiqa.archs.maniqa_arch",
    "musiq": "pyiqa.archs.musiq_arch",
    "nima": "pyiqa.archs.nima_arch",
    "paq2piq": "pyiqa.archs.paq2piq_arch",
    "topiq_nr": "pyiqa.archs.topiq_arch",
    "tres": "pyiqa.archs.tres_arch",
}


def save_instead(net: Any, path: str, strict: bool = True, weight_keys: str | None = None) -> None:
    state = net.state_dict()
    target = HUB / "pyiqa" / path.rsplit("/", 1)[-1]
    target.parent.mkdir(parents=True, exist_ok=True)
    torch.save({weight_keys: state} if weight_keys else state, target)


def save_hub(name: str, made: Any) -> None:
    folder = HF / ("models--" + TIMM[name].replace("/", "--"))
    if folder.exists():
        return
    snapshot = folder / "snapshots" / "random"
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("random")
    save_file(made(name, pretrained=False).state_dict(), snapshot / "model.safetensors")


def patch_vision(name: str, file: str) -> None:
    made = getattr(torchvision.models, name)

    def build(weights: object = None, **options: Any) -> Any:
        net = made(weights=None, **options)
        if weights is not None:
            target = HUB / "checkpoints" / file
            target.parent.mkdir(parents=True, exist_ok=True)
            torch.save(net.state_dict(), target)
        return net

    setattr(torchvision.models, name, build)


def write_arniqa() -> None:
    net = torchvision.models.resnet50(weights="random")
    encoder = torch.nn.Sequential(*list(net.children())[:-1])
    state = {f"model.{key}": value for key, value in encoder.state_dict().items()}
    torch.save(state, HUB / "checkpoints" / "ARNIQA.pth")
    regressor = torch.jit.script(torch.nn.Linear(2 * net.fc.in_features, 1))
    torch.jit.save(regressor, HUB / "pyiqa" / "regressor_koniq10k.pth")


if __name__ == "__main__":
    main(sys.argv[1:])
