"""Freeze cases anew: `python -m tests.frozen [NAME ...]`, all of them without a name.

Prints what changed. A commit that freezes anew does nothing else, and names each changed case and
why it changed.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from joblib.externals.loky import get_reusable_executor

from tests.frozen.cases import CASES, FROZEN


def measure(name: str) -> dict[str, object]:
    """Return what a case comes to now."""
    with TemporaryDirectory() as folder:
        try:
            return CASES[name](Path(folder))
        finally:
            get_reusable_executor().shutdown()  # idle, its workers would wait for five minutes


def main(names: list[str]) -> None:
    """Measure these cases and write them into the fixture."""
    unknown = set(names) - set(CASES)
    if unknown:
        sys.exit(f"no case {', '.join(sorted(unknown))}; known: {', '.join(CASES)}")
    before = json.loads(FROZEN.read_text()) if FROZEN.is_file() else {}
    chosen = names or list(CASES)
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(chosen, pool.map(measure, chosen), strict=True))
    for name, value in found.items():
        print("same   " if before.get(name) == value else "CHANGED", name)
    kept = {name: value for name, value in before.items() if name in CASES} | found
    FROZEN.write_text(json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
