"""GRPO of TRL in a town, with a model so small that it needs nothing from anywhere.

    pip install 'genagents-env[trl]'
    python examples/trl_town.py                          # a random transformer, minutes on a CPU
    python examples/trl_town.py --roles 2                # both people of `tiny`: self-play
    python examples/trl_town.py --model Qwen/Qwen3-0.6B  # a real one, on a GPU

The random one is first shown two replies, one of which does the errand of whoever is asked, one of
which waits, and GRPO goes on from these: it tries the whole loop, and is too small to learn much by
it. A model gets the prompts of the mind `direct`, word for word, and is deployed by `--policy
direct`.
"""

import argparse

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
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_instruct_2507_chat_template

from genagents_env.llm.calls import Message
from genagents_env.train.language import Session
from genagents_env.train.language.chat_rollouts import ChatRollouts, town_return

MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
ERRANDS = (
    '{"do": "interact", "target": "Cottage/study/lamp", "words": "lit", "minutes": 1}',
    '{"do": "interact", "target": "Cottage/kitchen/stove", "words": "on", "minutes": 1}',
)
WAITING = '{"do": "wait", "target": "", "words": "", "minutes": 5}'
TICKS = 20  # of an episode


def list_prompts(agent: int, seeds: range) -> list[tuple[Message, ...]]:
    """Return the first prompts of an agent."""
    prompts = []
    for seed in seeds:
        with Session("tiny", agent=agent, others="idle", seed=seed) as session:
            if session.prompt is not None:
                prompts.append(session.prompt.messages)
    return prompts


def format_prompt(tokenizer: PreTrainedTokenizerBase, messages: tuple[Message, ...]) -> str:
    chat = [{"role": m.role, "content": m.content} for m in messages]
    text = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
    return str(text)


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of the words that are used here."""
    words = [m.content for agent in (0, 1) for p in list_prompts(agent, range(8)) for m in p]
    words += [*ERRANDS, WAITING, qwen3_instruct_2507_chat_template]
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pieces.train_from_iterator(
        words, trainers.BpeTrainer(vocab_size=2000, special_tokens=MARKS, initial_alphabet=alphabet)
    )
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


def show_replies(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, roles: int, steps: int
) -> None:
    """Teach the model the form of a reply: the errand of whoever is asked, or waiting."""
    optimizer, draw = torch.optim.AdamW(model.parameters(), lr=3e-3), np.random.default_rng(0)
    prompts = [
        [format_prompt(tokenizer, asked) for asked in list_prompts(agent, range(8))]
        for agent in range(roles)
    ]
    for step in range(steps):
        agent = step % roles
        reply = (ERRANDS[agent], WAITING)[draw.integers(2)]
        before = tokenizer(prompts[agent][draw.integers(8)])["input_ids"]
        after = tokenizer(reply + MARKS[2])["input_ids"]
        ids = torch.tensor([before + after])
        labels = ids.clone()
        labels[:, : len(before)] = -100
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"after {steps} examples of replies the loss is {loss.item():.3f}")


def main(arguments: list[str] | None = None) -> list[float]:
    """Train, and return the mean return of each step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", help="of the Hugging Face hub, or a folder")
    parser.add_argument("--roles", type=int, default=1, choices=(1, 2), help="who is trained")
    parser.add_argument("--total-steps", type=int, default=30, help="of GRPO")
    parser.add_argument("--examples", type=int, default=600, help="shown to the random model")
    parser.add_argument("--out", default="runs/trl_town")
    chosen = parser.parse_args(arguments)
    if chosen.model is None:
        tokenizer = make_tokenizer()
        model = make_model(tokenizer)
        show_replies(model, tokenizer, chosen.roles, chosen.examples)
    else:
        tokenizer = AutoTokenizer.from_pretrained(chosen.model)
        model = AutoModelForCausalLM.from_pretrained(chosen.model)
    # A row is the number of an episode: its seed, and which of the roles is learned from.
    rows = [{"prompt": [{"role": "user", "content": str(seed)}]} for seed in range(200)]
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows),
        reward_funcs=town_return,
        rollout_func=ChatRollouts(
            "tiny", learners=range(chosen.roles), others="idle", max_ticks=TICKS, reply_tokens=64
        ),
        args=GRPOConfig(
            output_dir=chosen.out,
            max_steps=chosen.total_steps,
            per_device_train_batch_size=8,
            num_generations=8,
            max_completion_length=1500,
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
    print("return by step:", " ".join(f"{reward:.2f}" for reward in earned))
    return earned


if __name__ == "__main__":
    main()
