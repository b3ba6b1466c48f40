"""Which story is won by whom: runs the study of all stories, writes the table of docs/stories.md.

    python -m benchmarks.stories DIR    # runs what is still to be run in the folder

The table stands between `<!-- stories -->` and `<!-- /stories -->`; a test runs some cells again.
"""

import argparse
import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from benchmarks.markdown import make_rows
from genagents_env.study.report import measure_study, write_report
from genagents_env.study.sweep import SweepFolder, SweepOptions, sweep

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / "examples" / "studies" / "stories.toml"
PAGE = ROOT / "docs" / "stories.md"
BLOCK = re.compile(r"(<!-- stories -->\n)(.*?)(<!-- /stories -->)", re.DOTALL)
MODEL = "scripted:neighbour"
_ALIKE = ("mute", "scripted")  # ask no model

Wins: TypeAlias = Mapping[tuple[str, str], Sequence[bool]]  # by story and mind: by seed


def read_wins(folder: Path) -> Wins:
    """Return of a swept folder which runs were won, seed by seed."""
    found: dict[tuple[str, str], list[bool]] = {}
    with (folder / "values.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["measure"], row["key"]) == ("success", "won"):
                key = row["scenario"], row["mind"]
                found.setdefault(key, []).append(bool(row["value"]) and float(row["value"]) == 1)
    return found


def tabulate(wins: Wins) -> str:
    """Return the table: of each story and mind how many of its runs were won."""
    stories, minds = (list(dict.fromkeys(key[at] for key in wins)) for at in range(2))
    by = MODEL.removeprefix("scripted:")
    head = [f"`{mind}`" if mind in _ALIKE else f"`{mind}`, *{by}*" for mind in minds]
    rows = [
        (f"`{story}`", *(_count(wins.get((story, mind), ())) for mind in minds))
        for story in stories
    ]
    return "\n".join(make_rows(("story", *head), *rows)) + "\n"


def _count(won: Sequence[bool]) -> str:
    return f"{sum(won)} of {len(won)}" if won else "-"


def main(folder: Path) -> None:
    """Run the study in `folder` as far as it is still to be run, and write its table."""
    study = SweepFolder.create(folder, STUDY)
    result = sweep(study, SweepOptions(workers=2))
    if result.exit_code:
        raise SystemExit(result.message)
    write_report(measure_study(study))
    table = tabulate(read_wins(folder))
    PAGE.write_text(BLOCK.sub(lambda found: found[1] + table + found[3], PAGE.read_text()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
