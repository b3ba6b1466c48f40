"""Retrieval and growth of the memory stream beside the published algorithm, in one run.

Times are process CPU time on one thread, medians over repetitions. "Same" has the public code's
weights and finds what it finds; "paper" has the paper's; "products" is the part of either that
multiplies matrices. The last table is of the bank of the Lyfe mind: a tick remembers six things,
two of which make an old one be forgotten, and recalls three; the plain bank is a list of vectors
and one product at a time. Run: `python -m benchmarks.memory` (about two minutes).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy: both sides use one core

import argparse
import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks import published_retrieval as published
from genagents_env.memory.columns import Floats, unit_rows
from genagents_env.memory.forgetting import ForgettingMemory
from genagents_env.memory.retrieval import PRESETS, retrieve
from genagents_env.memory.stream import MemoryStream

TEN_SECONDS = 10
K = 30
FORGET_ABOVE, RECALLED, REMEMBERED = 0.9, 3, 6


def filled(vectors: Floats) -> MemoryStream:
    """Return a stream of one event a tick, of the importances models give."""
    stream = MemoryStream()
    random = np.random.default_rng(1)
    for id, importance in enumerate(random.integers(1, 11, len(vectors)).tolist()):
        stream.add(
            "event", f"memory {id}", created=id * TEN_SECONDS, importance=importance, events=[id]
        )
    stream.embed(range(len(vectors)), vectors)
    return stream


def nodes_of(stream: MemoryStream, vectors: Floats) -> list[published.Node]:
    """Return the same memories as the published code holds them."""
    return [
        published.Node(id, stream[id].accessed, stream[id].importance, row)
        for id, row in enumerate(vectors.tolist())
    ]


def cpu_ms(course: Callable[[], object], repeats: int) -> float:
    """Return the median CPU milliseconds of `course`, after one turn that warms up."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        course()
        times.append(time.process_time() - start)
    return 1e3 * float(np.median(times[1:]))


def compare(count: int, width: int, asked: int, repeats: int) -> str:
    """Return a row: ours beside the published algorithm, once both have found the same."""
    random = np.random.default_rng(0)
    vectors = random.standard_normal((count, width)).astype(np.float32)
    queries = random.standard_normal((asked, width)).astype(np.float32)
    stream = filled(vectors)
    nodes, lists = nodes_of(stream, vectors), queries.tolist()
    now, alike = count * TEN_SECONDS, PRESETS["public_code"]
    ours = retrieve(stream, queries, now=now, k=K, weights=alike)
    for mine, other in zip(ours, published.retrieve(nodes, lists, K), strict=True):
        assert mine == other
    paper = cpu_ms(lambda: retrieve(stream, queries, now=now, k=K), 10 * repeats)
    same = cpu_ms(lambda: retrieve(stream, queries, now=now, k=K, weights=alike), 10 * repeats)
    product = cpu_ms(lambda: stream.compute_similarity(queries), 10 * repeats)
    theirs = cpu_ms(lambda: published.retrieve(nodes, lists, K), repeats)
    cells = f"| {count:,} x {width:,} | {asked} | {theirs:,.1f} | {same:.2f} | {paper:.2f} "
    return cells + f"| {product:.2f} | {theirs / same:,.0f} |"


def growth(count: int, width: int = 384) -> str:
    """Return a row: microseconds to add a memory, and to attach its vector, one at a time."""
    vectors = np.random.default_rng(0).standard_normal((1000, 1, width)).astype(np.float32)
    stream = MemoryStream()
    start = time.process_time()
    for id in range(count):
        stream.add("event", f"memory {id}", created=id, events=[id])
    added = time.process_time()
    for id in range(count):
        stream.embed([id], vectors[id % 1000])
    done = time.process_time()
    add, embed = (1e6 * spent / count for spent in (added - start, done - added))
    return f"| {count:,} | {add:.1f} | {embed:.1f} |"


class PlainBank:
    """What the bank does, as a list of texts and vectors that is gone through."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.kept: list[tuple[str, Floats]] = []

    def add(self, texts: list[str], vectors: Floats) -> None:
        """Remember one after the other; forget what is alike, then the oldest."""
        for text, vector in zip(texts, vectors, strict=True):
            self.kept = [one for one in self.kept if np.dot(one[1], vector) < FORGET_ABOVE]
            self.kept.append((text, vector))
            del self.kept[: -self.capacity]

    def nearest(self, query: Floats, k: int) -> list[str]:
        """Return the texts nearest to `query`, best first."""
        scores = [float(np.dot(vector, query)) for _, vector in self.kept]
        return [self.kept[row][0] for row in np.argsort(scores)[::-1][:k]]


def news(vectors: Floats) -> Iterator[tuple[list[str], Floats]]:
    """Yield tick by tick what is remembered: four new things, and two that are much like old."""
    random = np.random.default_rng(2)
    for tick in range(10**6):
        new = random.standard_normal((REMEMBERED, vectors.shape[1])).astype(np.float32)
        # The old ones lie in the middle: neither forgotten before nor pushed out.
        new[:2] = vectors[len(vectors) // 2 + 2 * tick :][:2] * 50 + new[:2] / 10
        yield [f"news {tick}.{k}" for k in range(REMEMBERED)], unit_rows(new)


def bank(count: int, width: int, repeats: int) -> str:
    """Return a row: a tick of a full bank beside the plain one, once both recall the same."""
    vectors = np.random.default_rng(0).standard_normal((count, width)).astype(np.float32)
    vectors = unit_rows(vectors)
    texts = [f"What somebody said about something, number {k}." for k in range(count)]
    tracemalloc.start()
    ours = ForgettingMemory(count, FORGET_ABOVE)
    for at in range(0, count, 100):
        some = [(text, (k,)) for k, text in enumerate(texts[at : at + 100])]
        ours.add(some, vectors[at : at + 100], 0, "summary")
    held, peak = (size / 1e6 for size in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    plain = PlainBank(count)
    plain.kept = [*zip(texts, vectors, strict=True)]
    to_ours, to_plain = news(vectors), news(vectors)

    def our_tick() -> list[str]:
        new, rows = next(to_ours)
        ours.add([(text, ()) for text in new], rows, 0, "summary")
        return [kept.text for kept in ours.nearest(rows[-1], RECALLED)]

    def plain_tick() -> list[str]:
        new, rows = next(to_plain)
        plain.add(new, rows)
        return plain.nearest(rows[-1], RECALLED)

    assert our_tick() == plain_tick()
    our, their = cpu_ms(our_tick, 4 * repeats), cpu_ms(plain_tick, repeats)
    cells = f"| {count:,} x {width:,} | {their:,.1f} | {our:.2f} | {their / our:,.0f} "
    return cells + f"| {held:.0f} | {peak:.0f} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 1_000, 10_000])
    args = parser.parse_args()
    print("| memories | queries | published, ms | same, ms | paper, ms | products, ms | times |")
    print("|---|---|---|---|---|---|---|")
    for count in args.counts:
        print(compare(count, 1536, 3, args.repeats), flush=True)
    print(compare(10_000, 768, 1, args.repeats), flush=True)
    print("\n| memories | add, us each | embed, us each (384 wide, one at a time) |\n|---|---|---|")
    for count in (1_000, 10_000, 100_000):
        print(growth(count), flush=True)
    print("\n| bank | plain, ms a tick | bank, ms a tick | times | MB an agent | at most |")
    print("|---|---|---|---|---|---|")
    for width in (384, 1536):
        print(bank(10_000, width, args.repeats), flush=True)


if __name__ == "__main__":
    main()
