"""Builds the real pipeline classes with tiny random weights, offline: python tiny_pipelines.py DIR.

Run by an interpreter that has diffusers; nothing of b100 is imported here.
"""

import sys
from pathlib import Path
from typing import Any

TEMPLATE = "{% for m in messages %}{{ m['content'] }} {% endfor %}"


def tokenizer() -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast, Qwen2TokenizerFast

    words = ["<pad>", "<unk>", "copy", "the", "image", "draw", "again"]
    made = Tokenizer(WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = Whitespace()
    kind = Qwen2TokenizerFast if "--qwen" in sys.argv else PreTrainedTokenizerFast
    fast = kind(tokenizer_object=made, pad_token="<pad>", unk_token="<unk>")
    fast.chat_template = TEMPLATE
    return fast


def klein(folder: Path) -> None:
    import torch
    from diffusers import (
        AutoencoderKLFlux2,
        FlowMatchEulerDiscreteScheduler,
        Flux2KleinPipeline,
        Flux2Transformer2DModel,
    )
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    text = Qwen3Config(
        vocab_size=16,
        hidden_size=8,
        intermediate_size=16,
        num_hidden_layers=28,  # the pipeline reads the hidden states 9, 18 and 27
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=4,
        max_position_embeddings=64,
    )
    transformer = Flux2Transformer2DModel(
        patch_size=1,
        in_channels=4,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=24,
        timestep_guidance_channels=256,
        axes_dims_rope=(4, 4, 4, 4),
        guidance_embeds=False,
    )
    vae = AutoencoderKLFlux2(
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
    pipeline = Flux2KleinPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=vae,
        text_encoder=Qwen3ForCausalLM(text),
        tokenizer=tokenizer(),
        transformer=transformer,
    )
    pipeline.save_pretrained(folder / "Flux2KleinPipeline")


if __name__ == "__main__":
    klein(Path(sys.argv[1]))
