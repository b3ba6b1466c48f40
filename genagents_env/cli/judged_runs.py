"""The runs that `genagents judge` judges by a rubric: of a sweep, or run files."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from genagents_env.cli.screen import warn
from genagents_env.errors import ConfigError, RecordError
from genagents_env.files import find_inside
from genagents_env.record import RunReader
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.judge import JudgedText, Rubric, load_texts
from genagents_env.study.judge.kept_answers import load_kept_texts
from genagents_env.study.judge.verdicts import VERDICTS, Judgement
from genagents_env.study.report.judging import Judged, label_anew, sum_judgements
from genagents_env.study.sweep.folder import SweepFolder

KEPT = ".jsonl"  # how the name of a file of kept answers ends


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run file or answers that were kept, its condition and block, and its name in verdicts."""

    path: Path
    run: str
    condition: str = ""
    block: str = ""
    model: str | None = None

    def load_texts(self, rubric: Rubric) -> list[JudgedText]:
        """Return all that a rubric may be about."""
        path, about = self.path, rubric.about
        if path.suffix == KEPT:
            if about != "answer":
                raise ConfigError(f"{path} holds answers, and {rubric.name} is about none")
            return load_kept_texts(path)
        return load_texts(path, self.condition, self.run, about=about, block=self.block)


@dataclass(frozen=True)
class JudgedRuns:
    """The runs that are judged, one at least; `verdicts`: the file in which verdicts are kept."""

    sources: tuple[JudgedRun, ...]
    verdicts: Path
    folder: SweepFolder | None = None

    def load_texts(self, rubric: Rubric) -> list[JudgedText]:
        """Return all that a rubric may be about, of answers those after the run."""
        texts = (one for source in self.sources for one in source.load_texts(rubric))
        return [one for one in texts if one.when == "after"]

    def summarise(self, given: Iterable[Judgement], ids: Collection[str]) -> Judged:
        """Return what the verdicts on the texts of these ids come to; what is left out is said."""
        mine = [one for one in given if all(id_ in ids for id_ in one.texts)]
        own = [one for one in self.sources if one.path.suffix != KEPT]
        mine = label_anew(mine, {one.run: one.condition for one in own})
        found = sum_judgements(mine, {one.run: one.path for one in own})
        for fault in found.faults:
            warn(fault)
        return found

    @property
    def model(self) -> str | None:
        """The runs' own model, as it was asked for: of the first that has one."""
        return next((source.model for source in self.sources if source.model), None)


def find_judged_runs(paths: Sequence[Path]) -> JudgedRuns:
    """Return the runs that `paths` name; what cannot be used is reported on stderr and left out.

    Raises:
        ConfigError: a folder is none of a sweep, or nothing can be used.
    """
    paths = list(dict.fromkeys(paths))
    folders = [path for path in paths if path.is_dir()]
    if folders and len(paths) > 1:
        raise ConfigError(f"{folders[0]} is a folder: name one folder, or run files")
    if folders:
        return _find_in_folder(folders[0])
    found = [source for path in paths for source in _read_source(path)]
    if not found:
        raise ConfigError("none of these run files can be read")
    stems, models = Counter(one.run for one in found), {one.model for one in found if one.model}
    sources = [
        replace(
            one,
            run=one.run if stems[one.run] == 1 else str(one.path.with_suffix("")),
            condition=f"{one.condition} / {one.model}"
            if one.model and len(models) > 1
            else one.condition,
        )
        for one in found
    ]
    return JudgedRuns(tuple(sources), find_inside(paths[0].parent, VERDICTS))


def _find_in_folder(path: Path) -> JudgedRuns:
    folder = SweepFolder(path)
    statuses = folder.read_statuses()
    finished = [one for one in statuses if one.state == "finished"]
    if not finished:
        raise ConfigError(f"{path}: no run is finished yet; go on: genagents sweep {path}")
    if rest := len(statuses) - len(finished):
        warn(f"{rest} unfinished runs of {path} are left out")
    sources = [
        replace(read, condition=one.condition.name, block=one.condition.block)
        for one in finished
        for read in _read_source(one.file)
    ]
    return JudgedRuns(tuple(sources), find_inside(path, VERDICTS), folder)


def _read_source(path: Path) -> list[JudgedRun]:
    """Read a run file, its condition named by its policies; warn and return nothing if damaged."""
    if path.suffix == KEPT:
        return [JudgedRun(path, path.stem)]
    try:
        with RunReader(path) as record:
            meta = record.meta
    except RecordError as error:
        warn(f"{error}; it is left out")
        return []
    model = meta.asked_model if meta.model is not None else None
    return [JudgedRun(path, path.stem, format_policies(meta), meta.scenario.name, model)]
