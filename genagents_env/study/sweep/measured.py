"""What is measured of a run, kept beside its file: a report of many runs opens none of them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from genagents_env.errors import FileError
from genagents_env.files import find_inside, read_file
from genagents_env.record import Degradation, FacultyUse, PromptCuts, RunReader
from genagents_env.record.call_sums import ModelChange
from genagents_env.record.canonical import canonical_hash
from genagents_env.record.rows import encode
from genagents_env.study.evaluate.measure import Measure, NamedValue, take_values
from genagents_env.study.evaluate.measures import find_version
from genagents_env.study.evaluate.measures.diffusion import compute_curves
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.sweep.files import VALUES, write_whole
from genagents_env.text import clean

_FORMAT = 1  # of these files; others are read as none
_MOST_BYTES = 64 << 20
_LIMIT = 500  # characters of why it is degraded
_ROUNDING = 6  # decimals of hours on a curve


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run used. `dollars` is None where no price is known, `seconds` of wall clock too.

    `later_calls` and `later_dollars` were spent on it after its end, by interviews and by judges of
    its scenario's checks; None where that was not yet stored.
    """

    calls: int
    tokens: int
    fallbacks: int
    dollars: float | None
    seconds: float | None
    later_calls: int | None = None
    later_dollars: float | None = None


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run as a study sees it: values, and what has to be said of it.

    Attributes:
        hash: canonical, of the run these values were taken of.
        size: of its file in bytes then.
        modified: of its file, nanoseconds; another size or time, and the file is read again.
        life: hash of all that happened and was answered: who was where, and every event. Runs of
            equal lives differ in nothing that anybody in them did or met.
        hours: simulated.
        people: how many.
        values: of the measures, in their order.
        taken: the version of each measure by its label.
        faults: a message for each measure that failed on this record.
        usage: calls, tokens, dollars, seconds.
        degradation: what took the place of decisions.
        prompt_cuts: what prompts had no room for.
        model_changes: where another model answered than before.
        uses: what came of the faculties that can be switched off.
        versions: of the packages that the file names.
        curves: for each fact the hours at which one more knew it, and how many then did.
        seed: of the run; None where it was not yet stored.
        format: of the file.
    """

    hash: str
    size: int
    modified: int
    life: str
    hours: float
    people: int
    values: tuple[NamedValue, ...]
    taken: Mapping[str, str]
    faults: tuple[str, ...]
    usage: Usage
    degradation: Degradation
    prompt_cuts: PromptCuts
    model_changes: tuple[ModelChange, ...]
    uses: tuple[FacultyUse, ...]
    versions: Mapping[str, str]
    curves: Mapping[str, tuple[tuple[float, int], ...]] = field(default_factory=dict)
    seed: int | None = None
    format: int = _FORMAT

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of its measures that have one, by full name."""
        return {one.name: one.value.number for one in self.values if one.value.number is not None}

    @property
    def degraded(self) -> str:
        """Why it is, in words; empty where it is not."""
        return clean("; ".join(self.degradation.describe()), _LIMIT)

    def is_of(self, path: Path) -> bool:
        """Return whether the file at `path` is as it was when these values were taken."""
        try:
            found = path.stat()
        except OSError:
            return False
        return (found.st_size, found.st_mtime_ns) == (self.size, self.modified)

    def lacks(self, measures: Sequence[Measure]) -> list[Measure]:
        """Return those of `measures` that were not taken, or by another version."""
        return [one for one in measures if self.taken.get(one.label) != find_version(one)]


_ADAPTER = TypeAdapter(MeasuredRun)


def measure_run(
    path: Path,
    measures: Sequence[Measure],
    known: MeasuredRun | None = None,
) -> MeasuredRun:
    """Return what a finished run amounts to. Nothing is stored: who reads a folder changes none.

    Args:
        path: of the run file.
        measures: that are wanted; what was taken of the same run by the same code is kept.
        known: what was stored, see `read_measured`.

    Raises:
        RecordError: it cannot be read, or does not match its checksums.
    """
    digest, stat = canonical_hash(path), path.stat()
    kept = known if known is not None and known.hash == digest else None
    with RunReader(path) as reader:
        data = RunData(reader)
        wanted = list(measures) if kept is None else kept.lacks(measures)
        values, faults = take_values(data, wanted)
        taken = {one.label: find_version(one) for one in wanted}
        if kept is not None:
            fresh = {one.name for one in values}
            values = (*(one for one in kept.values if one.name not in fresh), *values)
            faults = tuple(dict.fromkeys((*kept.faults, *faults)))
            taken = {**kept.taken, **taken}
        return MeasuredRun(
            hash=digest,
            size=stat.st_size,
            modified=stat.st_mtime_ns,
            life=_digest_events(data),
            hours=data.hours,
            people=len(data.names),
            values=values,
            taken=taken,
            faults=faults,
            usage=_sum_usage(reader),
            degradation=reader.find_degradation(),
            prompt_cuts=reader.find_prompt_cuts(),
            model_changes=tuple(reader.find_model_changes()),
            uses=reader.list_faculty_uses(),
            versions=dict(data.meta.versions),
            seed=data.meta.seed,
            curves={
                fact: tuple(
                    (round(second / 3600, _ROUNDING), int(count)) for second, count in steps
                )
                for fact, steps in compute_curves(data).items()
            },
        )


def store_measured(path: Path, found: MeasuredRun) -> None:
    """Store the values of the run at `path`; where nothing can be written they are taken again."""
    try:
        write_whole(_name_file(path), _ADAPTER.dump_json(found).decode())
    except (OSError, FileError):
        return


def read_measured(path: Path) -> MeasuredRun | None:
    """Return what is stored of the run file at `path`; None where there is nothing usable.

    A file that somebody else wrote is no more than numbers: nothing in it is run.
    """
    try:
        if not os.path.lexists(_name_file(path)):
            return None
        found = _ADAPTER.validate_json(read_file(_name_file(path), _MOST_BYTES))
    except (FileError, ValidationError):
        return None
    return found if found.format == _FORMAT else None


def _name_file(path: Path) -> Path:
    return find_inside(path.parent, f"{path.name}{VALUES}")


def _sum_usage(reader: RunReader) -> Usage:
    spent, spending = reader.sum_calls(), reader.spending
    later = [one.total for one in reader.later_spending.values()]
    return Usage(
        spent.calls,
        spent.prompt_tokens + spent.completion_tokens,
        spent.fallbacks,
        None if spent.dollars is None else float(spent.dollars),
        None if spending is None else spending.seconds,
        sum(one.calls for one in later),
        float(sum(one.dollars for one in later)),
    )


def _digest_events(data: RunData) -> str:
    """Return the hash of the chain of positions and events, and of all answers."""
    chain = data.reader.find_checksum(data.last_tick) or b""
    answers = [
        [one.tick, one.agent, one.question, one.repeat, one.answer] for one in data.interviews
    ]
    return sha256(chain + encode(answers).encode()).hexdigest()
