"""Measures the documented MaskablePPO recipe on `errand`: each agent's part of the optimum.

    python -m benchmarks.maskable    # the seeds that are missing; kept after each

Figures are in `docs/learning/maskable_ppo.json`, shown by the table `maskable` of docs/learning.md
(`python -m benchmarks.learning --write`).
"""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import make_rows

FILE = Path(__file__).resolve().parents[1] / "docs" / "learning" / "maskable_ppo.json"
SEEDS = range(5)
STEPS = 200_000


def measure(seed: int) -> dict[str, Any]:
    """Train from a seed; return each agent's mean return over that of the optimum, and the time."""
    # The extra `train` only where something is trained.
    import torch

    from benchmarks.learning import EPISODES, find_optimum
    from examples import train_sb3
    from genagents_env.train.tasks import get_task

    torch.set_num_threads(1)
    begun, cpu = time.perf_counter(), time.process_time()
    model = train_sb3.make_model("errand", seed)
    model.learn(STEPS)
    took, worked = time.perf_counter() - begun, time.process_time() - cpu
    best = np.array(find_optimum(get_task("errand"), EPISODES))
    earned = [list(train_sb3.play(model, "errand", one).values()) for one in EPISODES]
    parts = np.mean(earned, axis=0) / best.mean(axis=0)
    return {
        "parts": np.round(parts, 4).tolist(),
        "steps": int(model.num_timesteps),
        "seconds": round(took),
        "cpu_seconds": round(worked),
    }


def load_maskable() -> dict[str, Any]:
    """Return what is known, by seed."""
    known: dict[str, Any] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return known


def tabulate_maskable(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each seed."""
    rows = [("seed", "of the optimum, each agent", "agent-steps", "CPU seconds")]
    for seed, found in known.items():
        parts = ", ".join(f"{part:.3f}" for part in found["parts"])
        rows.append((seed, parts, f"{found['steps']:,}", f"{found['cpu_seconds']}"))
    return make_rows(*rows)


def main() -> None:
    known = load_maskable()
    for seed in SEEDS:
        if str(seed) not in known:
            known[str(seed)] = found = measure(seed)
            FILE.write_text(json.dumps(known, indent=1) + "\n")
            print(seed, found, flush=True)


if __name__ == "__main__":
    main()
