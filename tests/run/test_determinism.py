import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from genagents_env.record import canonical_hash
from genagents_env.run import run
from tests.run.towns import make_options, make_spec
others = {"Klaus Mueller": "random", "Maria Lopez": "scripted", "Ayesha Khan": "random"}
spec = make_spec("valentines_party", 30, policy_for=others)
run(spec, sys.argv[1], make_options())
print(canonical_hash(sys.argv[1]))
"""


def hash_of(path: Path, hash_seed: int) -> str:
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "SHUFFLE_ACTIONS": str(hash_seed)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.strip()


@pytest.mark.slow
def test_one_hash_over_hash_seeds_action_orders_and_processes(tmp_path: Path) -> None:
    hashes = {hash_of(tmp_path / f"{seed}.sqlite", seed) for seed in range(1, 4)}
    assert len(hashes) == 1
