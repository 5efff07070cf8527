"""Builds the real pipeline classes with tiny random weights, offline: python tiny_pipelines.py DIR.

Run by an interpreter that has diffusers; nothing of b100 is imported here.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AutoencoderKLFlux2,
    AutoencoderKLQwenImage,
    FlowMatchEulerDiscreteScheduler,
    Flux2KleinPipeline,
    Flux2Pipeline,
    Flux2Transformer2DModel,
    QwenImageEditPlusPipeline,
    QwenImageTransformer2DModel,
)
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import (
    Mistral3Config,
    Mistral3ForConditionalGeneration,
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
    Qwen3Config,
    Qwen3ForCausalLM,
)

MARKS = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"]
WORDS = ["<pad>", "<unk>", *MARKS, "<|video_pad|>", "copy", "the", "image"]
PLAIN = "{% for m in messages %}{{ m['content'] }} {% endfor %}"
LISTED = (
    "{% for m in messages %}{% for c in m['content'] %}{{ c['text'] }} {% endfor %}{% endfor %}"
)


def tokenizer(template: str) -> Any:
    made = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = Whitespace()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        unk_token="<unk>",
        additional_special_tokens=[*MARKS, "<|video_pad|>"],
    )
    fast.chat_template = template
    return fast


def transformer(*, guided: bool) -> Any:
    return Flux2Transformer2DModel(
        patch_size=1,
        in_channels=4,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=24,  # three hidden states of eight numbers
        timestep_guidance_channels=256,
        axes_dims_rope=(4, 4, 4, 4),
        guidance_embeds=guided,
    )


def vae() -> Any:
    return AutoencoderKLFlux2(
        sample_size=32,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        block_out_channels=(4, 4),
        layers_per_block=1,
        latent_channels=1,
        norm_num_groups=1,
        use_quant_conv=False,
        use_post_quant_conv=False,
    )


def words(layers: int) -> dict[str, Any]:
    return {
        "vocab_size": 16,
        "hidden_size": 8,
        "intermediate_size": 16,
        "num_hidden_layers": layers,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 4,
        "max_position_embeddings": 64,
    }


def klein(folder: Path) -> None:
    Flux2KleinPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=vae(),
        text_encoder=Qwen3ForCausalLM(Qwen3Config(**words(28))),  # it reads layers 9, 18, 27
        tokenizer=tokenizer(PLAIN),
        transformer=transformer(guided=False),
    ).save_pretrained(folder / "Flux2KleinPipeline")


def dev(folder: Path) -> None:
    config = Mistral3Config(
        text_config={"model_type": "mistral", **words(31)},  # it reads layers 10, 20, 30
        vision_config={
            "model_type": "pixtral",
            "hidden_size": 8,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "head_dim": 4,
            "intermediate_size": 16,
            "image_size": 30,
            "patch_size": 6,
            "num_channels": 3,
        },
        image_token_index=15,
    )
    Flux2Pipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=vae(),
        text_encoder=Mistral3ForConditionalGeneration(config),
        tokenizer=tokenizer(LISTED),
        transformer=transformer(guided=True),
    ).save_pretrained(folder / "Flux2Pipeline")


def qwen(folder: Path) -> None:
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": 16,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "max_position_embeddings": 4096,
            "rope_scaling": {"mrope_section": [1, 1, 2], "rope_type": "default"},
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 16,
            "fullatt_block_indexes": [0],
        },
        vision_start_token_id=WORDS.index("<|vision_start|>"),
        vision_end_token_id=WORDS.index("<|vision_end|>"),
        image_token_id=WORDS.index("<|image_pad|>"),
        video_token_id=WORDS.index("<|video_pad|>"),
    )
    words = tokenizer(PLAIN)
    channels = 4
    QwenImageEditPlusPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKLQwenImage(
            base_dim=8,
            z_dim=channels,
            dim_mult=[1, 1, 1, 1],
            num_res_blocks=1,
            temperal_downsample=[False, True, True],
            latents_mean=[0.0] * channels,
            latents_std=[1.0] * channels,
        ),
        text_encoder=Qwen2_5_VLForConditionalGeneration(config),
        tokenizer=words,
        processor=Qwen2VLProcessor(
            image_processor=Qwen2VLImageProcessor(min_pixels=28 * 28, max_pixels=56 * 56),
            tokenizer=words,
            video_processor=Qwen2VLVideoProcessor(),
            chat_template=PLAIN,
        ),
        transformer=QwenImageTransformer2DModel(
            patch_size=2,
            in_channels=4 * channels,
            out_channels=channels,
            num_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=16,
            axes_dims_rope=(4, 6, 6),
        ),
    ).save_pretrained(folder / "QwenImageEditPlusPipeline")


if __name__ == "__main__":
    torch.manual_seed(0)
    klein(Path(sys.argv[1]))
    dev(Path(sys.argv[1]))
    qwen(Path(sys.argv[1]))
