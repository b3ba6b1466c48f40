"""Episodes of a town as a `rollout_func` of TRL's GRPOTrainer: the prompts are those of the mind.

Needs torch and the trainer's own tokenizer, and no more of a framework.
"""

import asyncio
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint, Message
from genagents_env.llm.event_loop import run_sync
from genagents_env.policy import AgentID
from genagents_env.train.language.shared_session import WAIT, OtherPolicies, SharedSession
from genagents_env.train.language.towns import TownChoice

_TOGETHER = 0.01  # seconds within which replies are asked for together


class ChatRollouts:
    """Called by the trainer with prompts, each the number of an episode; returns what was said.

    All `learners` of an episode are played by the model that is trained; of episode number n the
    chat of learner n modulo their number is what is learned from, so that a group of completions
    is of one seed and one role. Its reward is that agent's return, under `town_return`.

    Args:
        town: a scenario or a task.
        learners: who is played by the model, by id or place; None is everybody.
        others: the policies of everybody else.
        options: of the mind `direct`; with the same it is deployed by `--policy-config`.
        model: of the others' minds.
        max_ticks: steps at most.
        reply_tokens: of a reply at most.
    """

    def __init__(
        self,
        town: TownChoice = "tiny",
        learners: Sequence[AgentID | int] | None = (0,),
        others: OtherPolicies | None = None,
        *,
        options: Mapping[str, object] | None = None,
        model: str | Endpoint | None = None,
        max_ticks: int | None = None,
        reply_tokens: int = 128,
    ) -> None:
        self._reply_tokens = reply_tokens
        self._make: Callable[[], SharedSession] = lambda: SharedSession(
            town, learners, others, options=options, model=model, max_ticks=max_ticks
        )

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """Play an episode for each prompt, which comes as often as completions of it are wanted.

        Returns:
            prompt_ids, completion_ids, logprobs, env_mask (1 for what the model wrote),
            town_return, and chat_cut (1 where the chat could not grow to the end, so that the
            agent waited): each a list with an entry for every completion.
        """
        numbers = [_read_number(prompt) for prompt in prompts]
        writer = ModelWriter(trainer, self._reply_tokens)
        played = run_sync(_play_all([(self._make(), number) for number in numbers], writer))
        cut = sum(chat.is_cut for chat, _ in played)
        if cut:
            warnings.warn(
                f"{cut} of {len(played)} chats were cut: the mind had no room for all turns, or "
                "the chat was longer than max_completion_length, and the agent waited to the end",
                stacklevel=2,
            )
        return {
            "prompt_ids": [chat.prompt_ids for chat, _ in played],
            "completion_ids": [chat.ids for chat, _ in played],
            "logprobs": [chat.logprobs for chat, _ in played],
            "env_mask": [chat.mask for chat, _ in played],
            "town_return": [earned for _, earned in played],
            "chat_cut": [float(chat.is_cut) for chat, _ in played],
        }


def town_return(completions: Sequence[object], **columns: Any) -> list[float]:
    """Return the return of each episode: the reward function that goes with `ChatRollouts`."""
    returns: list[float] = columns["town_return"]
    return returns


@dataclass
class ChatTokens:
    """A chat as tokens: those of its first prompt, and all after it, with what the model wrote."""

    text: str = ""
    end: str = ""  # the mark with which the model ended its last reply
    is_cut: bool = False  # the prompts no longer go on where this ends
    prompt_ids: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    def ask(self, tokenizer: Any, messages: Sequence[Message]) -> bool:
        """Put the new part of a prompt after what stands here; return False if it is cut.

        It is where the mind had no room for earlier turns, or the chat template changes them: then
        the prompt does not go on where the last reply ended.
        """
        chat = [{"role": m.role, "content": m.content} for m in messages]
        text = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        before = self.text + self.end
        if not text.startswith(before):
            self.is_cut = True
            return False
        new = tokenizer(text[len(before) :], add_special_tokens=False)["input_ids"]
        if self.text:
            self._put(new, 0, [0.0] * len(new))
        else:
            self.prompt_ids = new
        self.text = text
        return True

    def say(self, tokenizer: Any, ids: list[int], logprobs: list[float]) -> str:
        """Put what the model wrote after what stands here, and return its words."""
        words: str = tokenizer.decode(ids, skip_special_tokens=True)
        ended = bool(ids) and ids[-1] == tokenizer.eos_token_id
        self.end = tokenizer.eos_token if ended else ""
        self._put(ids, 1, logprobs)
        self.text += words
        return words

    def _put(self, ids: list[int], mask: int, logprobs: list[float]) -> None:
        self.ids += ids
        self.mask += [mask] * len(ids)
        self.logprobs += logprobs


class ModelWriter:
    """Writes the replies of many chats, those that are asked for together at once."""

    def __init__(self, trainer: Any, reply_tokens: int) -> None:
        self.tokenizer = trainer.processing_class
        self.most: int = trainer.args.max_completion_length
        self._model = trainer.accelerator.unwrap_model(trainer.model)
        self._temperature, self._reply_tokens = trainer.args.temperature, reply_tokens
        self._waiting: list[tuple[ChatTokens, asyncio.Future[tuple[list[int], list[float]]]]] = []

    async def write(self, chat: ChatTokens) -> tuple[list[int], list[float]]:
        """Return the tokens of the next reply, with the mark at its end, and their logprobs."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_later(_TOGETHER, self._write_all)
        reply: asyncio.Future[tuple[list[int], list[float]]] = loop.create_future()
        self._waiting.append((chat, reply))
        return await reply

    def _write_all(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            written = self._generate([chat.prompt_ids + chat.ids for chat, _ in waiting])
        except Exception as error:
            for _, reply in waiting:
                reply.set_exception(error)
            return
        for (_, reply), own in zip(waiting, written, strict=True):
            reply.set_result(own)

    @torch.no_grad()
    def _generate(self, rows: Sequence[list[int]]) -> list[tuple[list[int], list[float]]]:
        width, pad = max(map(len, rows)), self.tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (width - len(row)) + row for row in rows])
        seen = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        out = self._model.generate(
            input_ids=ids.to(self._model.device),
            attention_mask=seen.to(self._model.device),
            max_new_tokens=self._reply_tokens,
            do_sample=True,
            temperature=self._temperature,
            top_k=0,
            pad_token_id=pad,
            eos_token_id=self.tokenizer.eos_token_id,
            output_scores=True,
            return_dict_in_generate=True,
        )
        scores = self._model.compute_transition_scores(
            out.sequences, out.scores, normalize_logits=True
        )
        written = zip(out.sequences[:, width:].tolist(), scores.tolist(), strict=True)
        end = self.tokenizer.eos_token_id
        lengths = [
            (new, own, new.index(end) + 1 if end in new else len(new)) for new, own in written
        ]
        return [(new[:length], own[:length]) for new, own, length in lengths]


async def _play_all(
    episodes: Sequence[tuple[SharedSession, int]], writer: ModelWriter
) -> list[tuple[ChatTokens, float]]:
    """Play episodes side by side, and return the chat and the return that each is learned from."""
    chats: list[dict[AgentID, ChatTokens]] = []
    try:
        async with asyncio.TaskGroup() as players:
            for session, seed in episodes:
                await session.begin(seed)
                chats.append({agent: ChatTokens() for agent in session.learners})
                for agent, chat in chats[-1].items():
                    players.create_task(_play(session, agent, chat, writer))
        learned = [session.learners[seed % len(session.learners)] for session, seed in episodes]
        return [
            (own[agent], session.returns[agent])
            for own, agent, (session, _) in zip(chats, learned, episodes, strict=True)
        ]
    finally:
        for session, _ in episodes:
            await session.close()


async def _play(
    session: SharedSession, agent: AgentID, chat: ChatTokens, writer: ModelWriter
) -> None:
    """Let the model reply for an agent, which waits to the end once its chat can grow no more."""
    while (prompt := await session.ask(agent)) is not None:
        chat.is_cut |= len(chat.ids) >= writer.most
        if chat.is_cut or not chat.ask(writer.tokenizer, prompt.messages):
            session.reply(agent, WAIT)
            continue
        ids, logprobs = await writer.write(chat)
        session.reply(agent, chat.say(writer.tokenizer, ids, logprobs) or WAIT, ids, logprobs)


def _read_number(prompt: Any) -> int:
    """Return the number of the episode that a row of the trainer's data is."""
    text = prompt if isinstance(prompt, str) else prompt[-1]["content"]
    if not str(text).strip().isdecimal():
        raise ConfigError(f"prompt: {text!r} is no number of an episode; give its seed")
    return int(text)
