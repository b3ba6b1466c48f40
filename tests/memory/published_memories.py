"""The same memories as ours and as the published code holds them, and whether they rank alike.

Memories of the form of the original's recorded day, made up: 1,536 dimensions, two thirds of them
idle things, texts that come again and again, thoughts, chats; they grow while they are asked.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from benchmarks import published_retrieval as published
from genagents_env.memory.columns import Floats
from genagents_env.memory.retrieval import PRESETS, retrieve_in_turn
from genagents_env.memory.stream import MemoryStream

WIDTH, K = 1536, 30
TURN = 3  # queries put at one moment, as a reflection does
STEP = 600  # seconds from one moment to the next
NEW = 5  # memories added between two moments
IDLE, THOUGHT, CHAT = 0.64, 0.12, 0.02  # shares of the recorded day
TOPICS = 40


class TwoMemories:
    """The same memories, as ours and as the published code holds them."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.topics = self.random.standard_normal((TOPICS, WIDTH))
        self.vectors: dict[str, Floats] = {}
        self.stream, self.nodes = MemoryStream(), list[published.Node]()

    def add(self, now: int) -> None:
        kind, text = self._invent()
        vector = self.vectors.setdefault(text, self.make_vector())
        importance = 1 if "idle" in text else int(self.random.integers(1, 11))
        id_ = self.stream.add(kind, text, created=now, importance=importance, cause="made up")
        self.stream.embed([id_], vector[None])
        self.nodes.append(
            published.Node(id_, now, float(importance), vector.astype(float).tolist(), kind, text)
        )

    def make_vector(self) -> Floats:
        """Return an embedding that lies near one of the topics, of any length."""
        topic = self.topics[self.random.integers(TOPICS)]
        vector = topic + 0.7 * self.random.standard_normal(WIDTH)
        return np.asarray(vector * self.random.uniform(0.5, 2.0), dtype=np.float32)

    def _invent(self) -> tuple[Literal["event", "thought", "chat"], str]:
        share, number = self.random.random(), int(self.random.integers(150))
        if share < IDLE:
            return "event", f"thing {number} is idle"
        if share < IDLE + THOUGHT:
            return "thought", f"what {number % 60} means"
        if share < IDLE + THOUGHT + CHAT:
            return "chat", f"conversing about {number}"
        return "event", f"somebody does {number}"


def compare(queries: int, memories: int, decay: float, seed: int) -> Iterator[bool]:
    """Yield for each query whether the ranking and all access times are the same."""
    two = TwoMemories(seed)
    for second in range(memories):
        two.add(second // 7 * 10)
    weights, now = replace(PRESETS["public_code"], decay=decay), memories * 10
    for asked in range(0, queries, TURN):
        count = min(TURN, queries - asked)
        vectors = np.stack([two.make_vector() for _ in range(count)])
        ours = retrieve_in_turn(two.stream, vectors, now=now, k=K, weights=weights)
        lists = vectors.astype(float).tolist()
        theirs = published.retrieve_in_turn(two.nodes, lists, K, decay, now=now)
        accessed = two.stream.accessed.tolist() == [node.accessed for node in two.nodes]
        yield from (mine == other and accessed for mine, other in zip(ours, theirs, strict=True))
        now += STEP
        for _ in range(NEW):
            two.add(now)
