"""Writing a report into a folder: everything is made first, so that nothing stands half-written."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from genagents_env.evaluate.published import published
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.record.rows import JSON
from genagents_env.report.groups import group_runs
from genagents_env.report.placing import INDEX, place_files
from genagents_env.report.run_page import RunSection, html, markdown, sections
from genagents_env.report.run_tables import answers, tables

_OURS = re.compile(r"figures/[a-z0-9_]+\.png|[a-z_]+\.csv|report\.(html|md)")


def write_report(
    studies: Sequence[RunSummary], folder: Path, lines: Sequence[Sequence[str]]
) -> list[Path]:
    """Write `report.html`, `report.md`, `report.json`, `figures/*.png` and a CSV for each table.

    A report that is in `folder` already is replaced, with the files that only it had; other files
    there are left alone.

    Args:
        studies: at least one, all with one speed of the game.
        folder: made where it is missing.
        lines: of each run its summary in words.

    Returns:
        The paths, `report.html` first.

    Raises:
        ConfigError: `folder` is a file, or cannot be written; or matplotlib is missing.
    """
    files = _files(studies, lines)
    return place_files(files, folder, _OURS)


def as_json(studies: Sequence[RunSummary]) -> dict[str, JSON]:
    """Return all runs and the published figures as JSON values."""
    return {
        "runs": [study.as_json() for study in studies],
        "published": [asdict(one) for one in published(studies[0].rates.speed)],
    }


def _files(studies: Sequence[RunSummary], lines: Sequence[Sequence[str]]) -> dict[str, bytes]:
    # Here, since matplotlib takes a second to load and a package of its own.
    from genagents_env.report.run_figures import pictures

    speed = studies[0].rates.speed
    groups, others = group_runs(studies), published(speed)
    own, drawn = tables(studies, groups, others), list(pictures(groups, others, speed))
    parts, title = sections(own, drawn), _title(studies)
    runs = [
        RunSection(
            f"run-{k}", f"{study.path} ({study.rates.policy})", tuple(words), answers([study])
        )
        for k, (study, words) in enumerate(zip(studies, lines, strict=True), 1)
    ]
    texts = {"report.html": html(title, parts, runs), "report.md": markdown(title, parts)}
    texts |= {
        f"{table.name}.csv": table.format_csv() for table in (*own, answers(studies)) if table.rows
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= {f"figures/{one.name}.png": one.png for one in drawn}
    listed = {"files": sorted(files), **as_json(studies)}
    return files | {INDEX: json.dumps(listed, indent=1).encode()}


def _title(studies: Sequence[RunSummary]) -> str:
    scenarios = ", ".join(dict.fromkeys(study.rates.scenario for study in studies))
    return f"{scenarios}: {len(studies)} run{'' if len(studies) == 1 else 's'}"
