"""GRPO of TRL on the town's tools, with a model so small that it needs nothing from anywhere.

    pip install 'genagents-env[trl]'
    python examples/trl_town.py                          # a random transformer, minutes on a CPU
    python examples/trl_town.py --model Qwen/Qwen3-0.6B  # a real one, on a GPU

The random one is first shown calls of two tools, one of which does Ada's errand in `tiny`, one of
which waits; GRPO then finds out which of them earns more.
"""

import argparse
import json

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
)
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_instruct_2507_chat_template

from genagents_env.train.language import TownTools

MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TOOLS = [getattr(TownTools, name) for name in ("interact", "leave", "move", "talk", "wait")]
CALLS = (
    {"name": "interact", "arguments": {"object": "Cottage/study/lamp", "state": "lit"}},
    {"name": "wait", "arguments": {"minutes": 5}},
)


def make_town() -> TownTools:
    return TownTools("tiny", agent="Ada Brook", others="idle")


def format_call(call: object) -> str:
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call><|im_end|>\n"


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of the words that are used here."""
    words = [make_town().reset(seed=seed) for seed in range(20)]
    words += [json.dumps(get_json_schema(tool)) for tool in TOOLS]
    words += [format_call(call) for call in CALLS] + [qwen3_instruct_2507_chat_template]
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pieces.train_from_iterator(
        words, trainers.BpeTrainer(vocab_size=2000, special_tokens=MARKS, initial_alphabet=alphabet)
    )
    pieces.add_tokens(["<tool_call>", "</tool_call>"])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces, eos_token=MARKS[2], pad_token=MARKS[0]
    )
    tokenizer.chat_template = qwen3_instruct_2507_chat_template
    return tokenizer


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """Return a random transformer of 300,000 weights."""
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=4096,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config)


def show_calls(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, steps: int) -> None:
    """Teach the model the form of a call: either of the two, as often."""
    optimizer, draw = torch.optim.AdamW(model.parameters(), lr=3e-3), np.random.default_rng(0)
    town = make_town()
    for step in range(steps):
        chat = [{"role": "user", "content": town.reset(seed=step % 20)}]
        asked = tokenizer.apply_chat_template(
            chat, tools=TOOLS, add_generation_prompt=True, tokenize=False
        )
        before = tokenizer(asked)["input_ids"]
        after = tokenizer(format_call(CALLS[draw.integers(len(CALLS))]))["input_ids"]
        ids = torch.tensor([before + after])
        labels = ids.clone()
        labels[:, : len(before)] = -100
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"after {steps} examples of calls the loss is {loss.item():.3f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="Of the Hugging Face hub, or a folder.")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--examples", type=int, default=600)
    parser.add_argument("--out", default="runs/trl_town")
    chosen = parser.parse_args()
    if chosen.model is None:
        tokenizer = make_tokenizer()
        model = make_model(tokenizer)
        show_calls(model, tokenizer, chosen.examples)
    else:
        tokenizer = AutoTokenizer.from_pretrained(chosen.model)
        model = AutoModelForCausalLM.from_pretrained(chosen.model)
    rows = [{"prompt": [{"role": "user", "content": ""}], "seed": seed} for seed in range(200)]
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows),
        environment_factory=make_town,
        args=GRPOConfig(
            output_dir=chosen.out,
            max_steps=chosen.steps,
            per_device_train_batch_size=8,
            num_generations=8,
            max_completion_length=1024,
            max_tool_calling_iterations=1,
            learning_rate=5e-4 if chosen.model is None else 1e-6,
            temperature=0.7,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=not torch.cuda.is_available(),
        ),
    )
    trainer.train()
    earned = [log["reward"] for log in trainer.state.log_history if "reward" in log]
    print("reward by step:", " ".join(f"{reward:.2f}" for reward in earned))


if __name__ == "__main__":
    main()
