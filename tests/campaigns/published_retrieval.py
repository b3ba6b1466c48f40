"""`public_code` ranks as the published code does: every place of every ranking, and every access.

Memories of the form of the original's recorded day, made up: 1,536 dimensions, two thirds of them
idle things, texts that come again and again, thoughts, chats; they grow while they are asked.
Run: `python -m tests.campaigns.published_retrieval` (about six minutes): a thousand queries, half
of them with the decay 0.99, half with 0.995. The tests take a part of it.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from benchmarks import published_retrieval as published
from genagents_env.memory.columns import Floats
from genagents_env.memory.retrieval import PRESETS, retrieve_in_turn
from genagents_env.memory.stream import MemoryStream

WIDTH, K = 1536, 30
DECAYS = (0.99, 0.995)
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


def main() -> None:
    """Compare and print what came of it.

    Raises:
        SystemExit: a ranking or an access is another.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--memories", type=int, default=1_725)
    args = parser.parse_args()
    same = total = 0
    for seed, decay in enumerate(DECAYS):
        found = list(compare(args.queries // len(DECAYS), args.memories, decay, seed))
        print(f"decay {decay}: {sum(found)} of {len(found)} rankings of {K} are the same")
        same, total = same + sum(found), total + len(found)
    if same < total:
        raise SystemExit(f"{total - same} of {total} differ")


if __name__ == "__main__":
    main()
