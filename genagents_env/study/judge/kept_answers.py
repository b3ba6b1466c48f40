"""Answers of interviews that were held after a run, kept in a file of JSON lines beside it.

Lines are only ever added. Each is complete in itself, so that judges need the file alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter

from genagents_env.errors import FileError
from genagents_env.files import find_inside
from genagents_env.record import RunReader, canonical_hash
from genagents_env.record.compressed import is_compressed
from genagents_env.study.judge.line_file import LineFile
from genagents_env.study.judge.texts import JudgedText, RunTexts

SUFFIX = ".interviews.jsonl"
PEOPLE = "people"  # the condition of answers that people wrote
_LIMIT = 64 << 20  # bytes
Key: TypeAlias = tuple[str, str, int, str, str, int, str]


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer, with what tells it from every other.

    Attributes:
        said: the answer as judges read it.
        source: the canonical hash of the run.
        tick: of the moment; `time` is the town's.
        by: the model that gave it, or the person who wrote it.
        evidence: ids of the events that it rests on.
        fallback: nobody gave it: the model's reply was of no use.
        interviewer: who asked, empty for nobody in particular.
    """

    said: JudgedText
    source: str
    tick: int
    time: str
    by: str
    evidence: tuple[int, ...] = ()
    fallback: bool = False
    interviewer: str = ""

    @property
    def key(self) -> Key:
        """What no two answers of a file have in common."""
        said = self.said
        asked = (said.agent, self.tick, f"{self.interviewer}: {said.question}")
        return (self.source, *asked, said.condition, said.repeat, self.by)


_ROW = TypeAdapter(KeptAnswer)


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """An answer that is to be kept: its question and words, and on what it rests."""

    question: str
    text: str
    repeat: int = 0
    evidence: tuple[int, ...] = ()
    fallback: bool = False


def make_answers(
    record: RunReader,
    tick: int,
    condition: str,
    given: Mapping[str, Sequence[WordedAnswer]],
    *,
    source: str,
    by: str,
    interviewer: str = "",
) -> list[KeptAnswer]:
    """Return what people answered at `tick` under a condition, to be kept."""
    time = record.time(tick)
    block = record.meta.scenario.name
    if tick != record.last_tick:
        block = f"{block}, {time:%Y-%m-%d %H:%M:%S}"
    if interviewer:
        block = f"{block}, asked by {interviewer}"
    texts = RunTexts(record, condition, record.path.stem, block, until=tick)
    return [
        KeptAnswer(
            texts.make_answer(agent, tick, one.question, one.repeat, one.text),
            *(source, tick, time.isoformat(), by),
            evidence=one.evidence,
            fallback=one.fallback,
            interviewer=interviewer,
        )
        for agent, answers in given.items()
        for one in answers
    ]


def find_kept_file(run_file: Path) -> Path:
    """Return where answers about a run are kept, unless another file is named.

    Raises:
        FileError: it is a link.
    """
    plain = run_file.with_suffix("") if is_compressed(run_file) else run_file
    return find_inside(run_file.parent, f"{plain.name.removesuffix('.sqlite')}{SUFFIX}")


def read_answers(path: Path) -> list[KeptAnswer]:
    """Return the answers in a file, in the order of keeping; none where there is no file.

    Raises:
        FileError: it cannot be read, or a line of it is no answer.
    """
    return list(_open(path))


def read_own_answers(
    path: Path, run_file: Path, agent: str | None = None
) -> tuple[list[KeptAnswer], int]:
    """Return the answers in a file that are of this very run, and how many are not.

    The others are of another run, or of this one before it went on. `agent`: whose; None is
    everybody's.

    Raises:
        FileError: as of `read_answers`.
        RecordError: the run file is damaged.
    """
    kept = [one for one in read_answers(path) if agent is None or one.said.agent == agent]
    source = canonical_hash(run_file) if kept else ""  # which takes a while
    own = [one for one in kept if one.source == source]
    return own, len(kept) - len(own)


def add_answers(path: Path, answers: Iterable[KeptAnswer]) -> int:
    """Add those that are not there yet, and return how many these are.

    Raises:
        FileError: the file cannot be read or written.
        RunLocked: another process adds to it.
    """
    with _open(path) as kept:
        new = [one for one in answers if kept.get(one.key) is None]
        kept.add(*new)
    return len(new)


def load_kept_texts(path: Path) -> list[JudgedText]:
    """Return what judges read of a file; where several gave them, their name is in the condition.

    Raises:
        FileError: as `read_answers`, or there is none.
    """
    kept = read_answers(path)
    if not kept:
        raise FileError(f"{path}: no answers in it; `genagents interview --ablations` keeps any")
    givers = {(one.said.condition == PEOPLE, one.by) for one in kept}
    several = {kind for kind in (True, False) if sum(kind == own for own, _ in givers) > 1}
    named = (
        f"{one.said.condition} / {one.by}"
        if (one.said.condition == PEOPLE) in several
        else one.said.condition
        for one in kept
    )
    return [
        replace(
            one.said,
            condition=condition,
            run=f"{one.said.run} / {one.said.condition} / {one.by}",  # whoever else gave any
        )
        for one, condition in zip(kept, named, strict=True)
    ]


def _open(path: Path) -> LineFile[KeptAnswer]:
    return LineFile(path, _ROW, "answer of an interview", _LIMIT)
