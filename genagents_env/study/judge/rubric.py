"""Rubrics: what a judge is asked of an answer, and what each number of its scale stands for."""

import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from genagents_env.errors import ConfigError
from genagents_env.files import read_text
from genagents_env.record.rows import encode
from genagents_env.scenario.faults import choices, list_faults, quote, suggest
from genagents_env.scenario.fields import Line, Model, Paragraph
from genagents_env.study.judge.texts import About, JudgedText
from genagents_env.text import fold

_MOST_STEPS = 20  # the numbers of a scale are listed in the schema of the reply
_FOLDER = Path(__file__).with_name("rubrics")
_MOST = 1 << 20  # bytes of a file
_DIGITS = 12


class Rubric(Model):
    """What judges are asked, people and models alike.

    Attributes:
        name: by which it is found; of a shipped one its file's.
        title: of tables, in a few words.
        source: where it comes from; may be empty.
        ask: what is asked of one answer.
        versus: which of two answers is asked for; empty where pairs are not compared by it.
        low: the scale's ends, whole numbers, `high` included.
        anchors: what a number stands for, by the number; both ends are given.
        about: answers in interviews, conversations, or each one's day.
        questions: of answers alone: ids of a scenario's questions, their words, or a kind of the 25
            standard questions; empty is every question.
        shows: what a judge reads beside the answer: who the agent is said to be, and its day.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    title: Line
    source: Paragraph = ""
    ask: Annotated[Paragraph, Field(min_length=1)]
    versus: Paragraph = ""
    low: int
    high: int
    anchors: dict[str, Line]
    about: About = "answer"
    questions: tuple[Line, ...] = ()
    shows: tuple[Literal["person", "day"], ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not 1 <= self.high - self.low <= _MOST_STEPS:
            span = f"low, high: {self.low} to {self.high} is no scale"
            raise ValueError(f"{span}; at least 1 and at most {_MOST_STEPS} apart")
        allowed = [str(number) for number in range(self.low, self.high + 1)]
        if not {allowed[0], allowed[-1]} <= self.anchors.keys() <= set(allowed):
            ends = f"{quote(self.low)} and {quote(self.high)} are required"
            raise ValueError(f"anchors: {ends}; allowed: {choices(allowed)}")
        if self.about != "answer" and (self.questions or self.versus or self.shows):
            what = f"of a {self.about} there are no questions, versus or shows"
            raise ValueError(f'about: {what}; allowed: "answer"')
        return self

    @property
    def edition(self) -> str:
        """Eight characters that change with anything of its content."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:8]

    @property
    def scale(self) -> tuple[tuple[int, str], ...]:
        """The anchored numbers, smallest first."""
        return tuple(sorted((int(number), words) for number, words in self.anchors.items()))

    @property
    def shows_person(self) -> bool:
        """Whether a judge reads who the agent is; of a conversation or a day always."""
        return "person" in self.shows or self.about != "answer"

    def covers(self, said: JudgedText) -> bool:
        """Return whether it is about this answer, going by the question alone."""
        wanted = {fold(question) for question in self.questions}
        return not wanted or fold(said.question_id) in wanted or fold(said.question) in wanted

    def digest_shown(self, said: JudgedText) -> str:
        """Return the hash of all that a judge reads: who was asked what, the text, person, day."""
        person = said.person if self.shows_person else ""
        day = said.day if "day" in self.shows else ""
        asked = (said.agent, said.question) if self.about == "answer" else ()
        shown = encode([*asked, said.text, person, day])
        return sha256(shown.encode()).hexdigest()[:_DIGITS]


def list_rubrics() -> list[str]:
    """Return the names of the shipped rubrics, sorted."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def load_rubric(name: str | Path, base: Path = Path()) -> Rubric:
    """Return the shipped rubric of that name, or the one in a TOML file.

    Args:
        name: of a rubric, or a path, which has a `/` or ends in `.toml`.
        base: the folder that a relative path starts from.

    Raises:
        ConfigError: there is none, or it has faults: all are listed, each as `file: key: what`.
    """
    words = str(name)
    if isinstance(name, Path) or "/" in words or words.endswith(".toml"):
        path = base / name
    elif words in list_rubrics():
        path = _FOLDER / f"{words}.toml"
    else:
        raise ConfigError(
            f"rubric {quote(words)} is unknown; {suggest(words, list_rubrics())} "
            "(or the path of a .toml file)"
        )
    return parse_rubric(read_text(path, _MOST), words)


def parse_rubric(text: str, file: str) -> Rubric:
    """Return the rubric that TOML text describes; `file` is named in faults.

    Raises:
        ConfigError: it has faults: all are listed.
    """
    try:
        data = tomllib.loads(text)
        # TOML has lists, where the schema, being frozen, has tuples.
        return Rubric.model_validate(
            {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
        )
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: this is no TOML: {error}") from None
    except ValidationError as error:
        raise ConfigError("\n".join(_format_faults(error, file))) from None
    except (RecursionError, ValueError):
        raise ConfigError(f"{file}: nested too deeply, or a number is too long") from None


def _format_faults(error: ValidationError, file: str) -> Iterator[str]:
    for fault in list_faults(error, Rubric):
        key = ".".join(map(str, fault.loc))  # none, where the text begins with it
        yield f"{file}: {key}: {fault.text}" if key else f"{file}: {fault.text}"
