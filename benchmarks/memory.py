"""Retrieval and growth of the memory stream beside the published algorithm, in one run.

Times are process CPU time on one thread, medians over repetitions. "Same" has the public code's
weights and finds what it finds; "paper" has the paper's; "products" is the part of either that
multiplies matrices. Run: `python benchmarks/memory.py` (about a minute).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy: both sides use one core

import argparse
import time
from collections.abc import Callable

import numpy as np
import published_retrieval as published

from genagents_env.memory.columns import Floats
from genagents_env.memory.retrieval import PRESETS, retrieve
from genagents_env.memory.stream import MemoryStream

TEN_SECONDS = 10
K = 30


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
        assert len({*mine} & {*other}) >= K - 1  # float32 beside float64 may swap the last two
    paper = cpu_ms(lambda: retrieve(stream, queries, now=now, k=K), 10 * repeats)
    same = cpu_ms(lambda: retrieve(stream, queries, now=now, k=K, weights=alike), 10 * repeats)
    product = cpu_ms(lambda: stream.likeness(queries), 10 * repeats)
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


def main() -> None:
    """Print both tables."""
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


if __name__ == "__main__":
    main()
