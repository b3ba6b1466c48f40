"""The runs behind the figures and tables of *Lyfe Agents* (Kaiya et al. 2023), with any model.

    python examples/lyfe_paper.py --out paper --runs 3 --figures 3 6

runs what a figure needs (finished runs are not repeated, stopped ones are resumed), lets the model
judge the answers, and writes `paper/report/report.html`: success, the flow of facts, changed
answers, lengths of talks and cost, by mind and place, each with its interval.
Without a model: `--model scripted:neighbour --embedder hashed`.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from genagents_env.cli.progress import show_progress
from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunResult, RunSpec, resume, run
from genagents_env.study.evaluate.rates import find_tariff
from genagents_env.study.judge import judge_finished_run
from genagents_env.study.report import measure_runs, write_report

ABLATIONS = ("no_option_action", "no_self_monitor", "no_summarize_and_forget")


@dataclass(frozen=True)
class Cell:
    """Runs of one kind: a scenario with a cast of it, and a mind."""

    scenario: str
    cast: str | None = None
    policy: str = "lyfe"
    variant: str | None = None

    def spec(self, seed: int, hours: float | None) -> RunSpec:
        """Return what is run."""
        config = {"variant": self.variant} if self.variant else {}
        mind = PolicySpec(self.policy, config)
        return RunSpec(TownConfig(self.scenario, hours=hours, people=self.cast), seed, policy=mind)

    def file(self, seed: int) -> str:
        """Return the name of the run file."""
        parts = (self.scenario, self.cast, self.policy, self.variant, str(seed))
        return "-".join(part for part in parts if part) + ".sqlite"


MYSTERY = [Cell("murder_mystery", cast) for cast in ("3", "6", "9")]
ABLATED = [Cell("murder_mystery", cast, variant=v) for cast in ("3", "6", "9") for v in ABLATIONS]
MEASURES = (
    *("success", "received", "stored", "retrieved", "changed", "conversation_seconds"),
    "dollars_per_human_hour",
)
FIGURES = {
    "3": [*MYSTERY, *ABLATED],  # success by number of agents and ablation; flow of the testimony
    "4": [Cell("murder_mystery", "9")],  # a change of opinion
    "5": [Cell("activity_fair")],  # club preference, with figures 7 and 8: change and affinity
    "6": [  # cost, beside our Smallville and the published rates
        *(Cell("murder_mystery", "9", variant=variant) for variant in (None, *ABLATIONS)),
        Cell("murder_mystery", "9", "smallville"),
    ],
    "table1": [Cell("murder_mystery_hard", "9")],
    "table2": [Cell("medicine")],
}


def run_cell(cell: Cell, seed: int, out: Path, engine: RunOptions, hours: float | None) -> Path:
    """Return the run file of one cell and seed, finished and judged."""
    path = out / cell.file(seed)
    if not path.is_file():
        outcome = run(cell.spec(seed, hours), path, engine)
    elif not is_finished(path):
        outcome = resume(path, engine)
    else:
        outcome = RunResult(path, "finished", 0, 0)
    outcome = judge_finished_run(outcome, engine)  # what was judged is not judged again
    if outcome.message:
        raise SystemExit(f"{path}: {outcome.message}")
    return path


def is_finished(path: Path) -> bool:
    with RunReader(path) as record:
        return record.status == "finished"


def cells(figures: list[str]) -> Iterator[Cell]:
    """Yield what the figures need, each once."""
    yield from dict.fromkeys(cell for figure in figures for cell in FIGURES[figure])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("lyfe_paper"), help="a folder")
    parser.add_argument("--figures", nargs="+", choices=FIGURES, default=list(FIGURES))
    parser.add_argument("--runs", type=int, default=3, help="of each kind (the paper: 6 or 7)")
    parser.add_argument("--hours", type=float, default=0.25, help="of each run (the paper: 0.25)")
    parser.add_argument("--model", help="as for `genagents run`; the embedded one by default")
    parser.add_argument("--embedder", help="as for `genagents run`")
    parser.add_argument("--price-as", default="gpt-3.5-turbo", help="the paper's model")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    wanted = [(cell, seed) for cell in cells(chosen.figures) for seed in range(chosen.runs)]
    paths = []
    for number, (cell, seed) in enumerate(wanted, 1):
        print(f"[{number}/{len(wanted)}] {cell.file(seed)}")
        with show_progress(quiet=False) as watch:
            engine = RunOptions(model=chosen.model, embedder=chosen.embedder, watch=watch)
            paths.append(run_cell(cell, seed, chosen.out, engine, chosen.hours))
    results = measure_runs(paths, find_tariff(chosen.price_as), primary=MEASURES)
    page, *_ = write_report(results, chosen.out / "report")
    print(page)


if __name__ == "__main__":
    main()
