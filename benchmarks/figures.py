"""Lives the runs whose figures the documents show, and writes these figures into the documents.

    python -m benchmarks.figures            # what is missing, or would come out otherwise today
    python -m benchmarks.figures NAME...    # these, whatever is known of them
    python -m benchmarks.figures --write    # nothing is lived; the tables are written anew
    python -m benchmarks.figures --read FILE NAME   # a run that was lived already

Figures are kept in `docs/figures.json`, each run with its command, its hash and a fingerprint. In a
document a table stands between `<!-- figures: NAME -->` and `<!-- /figures -->`.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figure_runs import RUNS, FigureRun, compute_fingerprint, live
from benchmarks.figure_tables import TABLES
from benchmarks.figure_values import read_values
from genagents_env.record import RunReader, canonical_hash

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "figures.json"
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n)(.*?)(<!-- /figures -->)", re.DOTALL)


def load_figures() -> dict[str, Any]:
    """Return what is known of each run."""
    known: dict[str, Any] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return known


def is_stale(run: FigureRun, known: Mapping[str, Any]) -> bool:
    """Return whether a run was never lived, is another now, or would come out otherwise today."""
    entry = known.get(run.name)
    if entry is None or entry["command"] != run.command:
        return True
    return bool(entry["fingerprint"] != compute_fingerprint(run.short))


def measure_run(run: FigureRun, path: Path) -> dict[str, Any]:
    """Return what is kept of a run that was lived into `path`."""
    with RunReader(path) as record:
        if record.status != "finished":
            sys.exit(f"{path} is {record.status}, not finished")
    return {
        "command": run.command,
        "hash": canonical_hash(path),
        "fingerprint": compute_fingerprint(run.short),
        **read_values(path),
    }


def fill_blocks(text: str, figures: Mapping[str, Any]) -> str:
    """Return a document with its tables as the figures have them."""

    def fill(found: re.Match[str]) -> str:
        lines = "\n".join(TABLES[found[2]](figures))
        return f"{found[1]}\n{lines}\n\n{found[4]}"

    return _BLOCK.sub(fill, text)


def find_blocks(text: str) -> list[str]:
    """Return the names of the tables of a document."""
    return [name for _, name, _, _ in _BLOCK.findall(text)]


def write_figures(figures: Mapping[str, Any]) -> None:
    """Keep the figures of the runs, in their order."""
    ordered = {run.name: figures[run.name] for run in RUNS if run.name in figures}
    FILE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


def write_documents(figures: Mapping[str, Any]) -> None:
    """Write every document whose tables are not as the figures have them."""
    for path in DOCUMENTS:
        text = path.read_text()
        if (filled := fill_blocks(text, figures)) != text:
            path.write_text(filled)
            print("written", path.relative_to(ROOT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *(run.name for run in RUNS)])
    parser.add_argument("--write", action="store_true", help="live nothing")
    parser.add_argument("--read", type=Path, metavar="FILE", help="a run of the one name")
    parser.add_argument("--jobs", type=int, default=2, help="runs lived at a time")
    options = parser.parse_args()
    known = load_figures()
    wanted = [run for run in RUNS if run.name in options.names]
    if options.read is not None and len(wanted) != 1:
        parser.error("--read wants one name")
    if not wanted and not options.write:
        wanted = [run for run in RUNS if is_stale(run, known)]
    if options.read is not None:
        known[wanted[0].name] = measure_run(wanted[0], options.read)
        wanted = []
    with TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        paths = {run.name: Path(folder) / f"{run.name}.sqlite" for run in wanted}
        jobs = {pool.submit(live, run, paths[run.name]): run for run in wanted}
        for done in as_completed(jobs):
            run = jobs[done]
            known[run.name] = {**measure_run(run, paths[run.name]), **done.result()}
            write_figures(known)
            print("lived", run.name, f"{known[run.name]['minutes']} min", flush=True)
    write_documents(known)


if __name__ == "__main__":
    main()
