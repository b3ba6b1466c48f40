"""The same questions under several conditions, and answers that people write: kept beside a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.judge.kept_answers import KeptAnswer, WordedAnswer
    from genagents_env.policy import InterviewTerms
    from genagents_env.record import RunMeta
    from genagents_env.run import RunOptions
    from genagents_env.run.interviews import Transcript

# Park et al. 2023, section 6.2: the conditions of the controlled evaluation, all of one life.
ABLATIONS = ("", "reflection", "reflection,planning", "observation,reflection,planning")
_ORDER = ("observation", "reflection", "planning")  # as the mind's variants are named


def make_conditions(
    without: Sequence[str], *, ablations: bool, interviewer: str
) -> dict[str, "InterviewTerms"]:
    """Return the terms of each condition by its name: `full`, `no_reflection` ...

    Raises:
        ConfigError: a kind of memory that there is not.
    """
    from genagents_env.policy import InterviewTerms, MemoryAccess

    conditions: dict[str, InterviewTerms] = {}
    allowed = get_args(MemoryAccess)
    for text in [*(ABLATIONS if ablations else ()), *without]:
        kinds = [part.strip() for part in text.split(",") if part.strip()]
        wrong = [kind for kind in kinds if kind not in allowed]
        if wrong or (text and not kinds):
            told = ", ".join(allowed)
            raise ConfigError(f"--without: {text!r} is not allowed; any of {told}, by commas")
        name = "_".join(f"no_{kind}" for kind in _ORDER if kind in kinds) or "full"
        conditions[name] = InterviewTerms(
            interviewer, frozenset(kind for kind in allowed if kind in kinds)
        )
    return conditions or {"full": InterviewTerms(interviewer)}


@dataclass(frozen=True)
class KeptInterview:
    """Questions to people of a run at a moment, whose answers are kept in a file."""

    path: Path
    meta: "RunMeta"
    tick: int
    put: Mapping[str, Sequence[str]]
    file: Path
    interviewer: str = ""
    repeats: int = 1

    def ask(
        self, conditions: Mapping[str, "InterviewTerms"], options: "RunOptions"
    ) -> dict[str, "Transcript"]:
        """Ask under each condition that the file does not hold yet, and keep what is answered."""
        from genagents_env.evaluate.labels import format_policies
        from genagents_env.run.interviews import interview_on_terms

        by = options.model or self.meta.model or format_policies(self.meta)
        due = {name: terms for name, terms in conditions.items() if not self._is_kept(name, by)}
        for name in conditions:
            if name not in due:
                say(f"genagents: {self.file} has these answers under {name} already", error=True)
        if not due:
            return {}
        return interview_on_terms(
            *(self.path, list(self.put), self.put, due, self.tick, options, self.repeats),
            on_answers=lambda name, told: self._keep(name, by, self._to_worded(told)),
        )

    def ask_unkept(
        self, conditions: Mapping[str, "InterviewTerms"], options: "RunOptions"
    ) -> dict[str, "Transcript"]:
        """Ask, and keep nothing."""
        from genagents_env.run.interviews import interview_on_terms

        return interview_on_terms(
            *(self.path, list(self.put), self.put, conditions),
            *(self.tick, options, self.repeats),
        )

    def read_sheet(self, sheet: Path, author: str) -> int:
        """Keep the answers that a person wrote, and return how many there are."""
        from genagents_env.judge.kept_answers import PEOPLE
        from genagents_env.judge.written_answers import read_written_answers

        written = read_written_answers(sheet, self.put)
        self._keep(PEOPLE, author, written)
        return sum(map(len, written.values()))

    @cached_property
    def _source(self) -> str:
        from genagents_env.record import canonical_hash

        return canonical_hash(self.path)

    def _is_kept(self, condition: str, by: str) -> bool:
        """Return whether the file has every answer of a condition."""
        from genagents_env.judge.kept_answers import read_answers

        wanted = {
            (agent, question, repeat)
            for agent, questions in self.put.items()
            for question in questions
            for repeat in range(self.repeats)
        }
        this = (self._source, self.tick, condition, by, self.interviewer)
        return wanted <= {
            (one.said.agent, one.said.question, one.said.repeat)
            for one in read_answers(self.file)
            if (one.source, one.tick, one.said.condition, one.by, one.interviewer) == this
        }

    def _to_worded(self, told: "Transcript") -> "dict[str, list[WordedAnswer]]":
        from genagents_env.judge.kept_answers import WordedAnswer

        return {
            agent: [
                WordedAnswer(
                    question,
                    answer.text,
                    number // (len(answers) // self.repeats),
                    answer.evidence,
                    answer.fallback,
                )
                for number, (question, answer) in enumerate(answers)
            ]
            for agent, answers in told.items()
        }

    def _keep(self, condition: str, by: str, given: "Mapping[str, Sequence[WordedAnswer]]") -> None:
        from genagents_env.judge.kept_answers import add_answers, make_answers
        from genagents_env.record import RunReader

        with RunReader(self.path, known=True) as record:
            answers = make_answers(
                *(record, self.tick, condition, given),
                source=self._source,
                by=by,
                interviewer=self.interviewer,
            )
        add_answers(self.file, answers)


def describe_kept(file: Path) -> Iterator[str]:
    """Yield what a file of kept answers holds by condition, and what can be made of it."""
    from genagents_env.judge.kept_answers import read_answers

    rows: dict[tuple[str, str, str], list[KeptAnswer]] = {}
    for one in read_answers(file):
        rows.setdefault((one.time, one.said.condition, one.by), []).append(one)
    for (time, condition, by), answers in rows.items():
        people = len({one.said.agent for one in answers})
        questions = len({(one.said.agent, one.said.question) for one in answers})
        none = sum(one.fallback for one in answers)
        told = f", {none:,} of them defaults" if none else ""
        yield (
            f"{time[:16].replace('T', ' ')}  {condition} ({by}): {people:,} people, "
            f"{questions:,} questions, {len(answers):,} answers{told}"
        )
    yield f"Rankings: genagents rate {file} --pairwise; by people: genagents sheet {file} --ranks"
