"""What there is to judge: what somebody said in an interview, a conversation, or a whole day."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from genagents_env.record import RunReader
from genagents_env.record.rows import encode
from genagents_env.scenario import Person, Scenario
from genagents_env.scenario.questions import When, list_questions
from genagents_env.show.transcript import format_transcript
from genagents_env.study.evaluate.questions import make_standard_questions
from genagents_env.text import clean
from genagents_env.world.events import Event

About: TypeAlias = Literal["answer", "conversation", "day"]
Match: TypeAlias = tuple[str, int, str, str, str, int]

WHENS: tuple[When, ...] = get_args(When)
_ANSWER = 2000  # characters kept
_DAY = 4000
_PERSON = 1200
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class JudgedText:
    """Something a judge can read: an answer, or a conversation or a day as it was recorded.

    Attributes:
        run: the stem of the run file, or its path; of kept answers with their condition and giver.
        condition: what is compared; no judge ever sees it. It may be called otherwise later.
        seed: of the run.
        agent: who answered; of a conversation its members, separated by commas.
        when: before the run or after it.
        question: in words, as it was put; `conversation 4` or `day` where nothing was asked.
        repeat: of the interview, from 0.
        text: the answer, or the lines of the conversation or day.
        question_id: of the scenario's question; of one of the 25 standard questions its kind;
            empty for any other.
        person: who the agent is said to be, in the scenario's words.
        day: what the agent did, heard and said until then, a line each; empty before the run.
        block: conditions are compared only within one.
    """

    run: str
    condition: str
    seed: int
    agent: str
    when: When
    question: str
    repeat: int
    text: str
    question_id: str = ""
    person: str = ""
    day: str = ""
    block: str = ""

    @property
    def id(self) -> str:
        """A name of 13 characters that reveals nothing; a letter first, so it is no number."""
        parts = [self.run, self.block, *self.match[1:], self.text]
        return "a" + sha256(encode(parts).encode()).hexdigest()[:_DIGITS]

    @property
    def match(self) -> Match:
        """What it shares with the answers of other conditions that it is compared with."""
        return (self.block, self.seed, self.agent, self.when, self.question, self.repeat)


def load_texts(
    path: Path, condition: str, run: str, *, about: About = "answer", block: str = ""
) -> list[JudgedText]:
    """Return what there is to judge in a run file, in the order of the record.

    Answers are those before the first tick and at the last; interviews held in between are left
    out, since other runs have none to set beside them.

    `condition`, `run` and `block`: see `JudgedText`.

    Raises:
        RecordError: the file is missing, foreign, damaged or newer.
    """
    with RunReader(path) as record:
        reading = RunTexts(record, condition, run, block)
        if about == "answer":
            return list(reading.read_answers())
        return list(reading.read_days() if about == "day" else reading.read_conversations())


class RunTexts:
    """One run file, read for its judges; days are told up to the tick `until`, None is the last.

    `condition`, `run` and `block`: see `JudgedText`.
    """

    def __init__(
        self, record: RunReader, condition: str, run: str, block: str, until: int | None = None
    ) -> None:
        self.record, self.meta = record, record.meta
        self.last = max(0, record.last_tick)
        self.events = list(record.events(0, until))
        self.people = {person.name: describe_person(person) for person in self.meta.scenario.people}
        seed = self.meta.seed
        self._blank = JudgedText(run, condition, seed, "", "after", "", 0, "", block=block)

    def read_answers(self) -> Iterator[JudgedText]:
        """Yield the answers at both ends."""
        for row in self.record.interviews():
            if row.tick in (0, self.last):
                yield self.make_answer(row.agent, row.tick, row.question, row.repeat, row.answer)

    def make_answer(
        self, agent: str, tick: int, question: str, repeat: int, answer: str
    ) -> JudgedText:
        """Return an answer that was given at `tick`."""
        when: When = "after" if tick else "before"
        id_ = self.ids.get((when, agent, question), "")
        day = self.days.get(agent, "") if tick else ""
        said = self._make_text(agent, question, clean(answer, _ANSWER))
        return replace(said, when=when, repeat=repeat, question_id=id_, day=day)

    @cached_property
    def ids(self) -> dict[tuple[When, str, str], str]:
        """The id of every question, by when, to whom and in which words."""
        scenario, names = self.meta.scenario, self.meta.names
        ids = {
            (when, name, question): kind
            for when in WHENS
            for name in names
            for kind, questions in make_standard_questions(name, scenario).items()
            for question in questions
        }
        return ids | {at: id_ for at, (id_, _) in number_questions(scenario, names).items()}

    @cached_property
    def days(self) -> dict[str, str]:
        """What everybody did, heard and said."""
        own: dict[str, list[Event]] = {name: [] for name in self.meta.names}
        for event in self.events:
            for name in {event.agent, *event.data.get("heard_by", ())} & own.keys():
                own[name].append(event)
        return {name: self._format_transcript(events) for name, events in own.items()}

    def read_days(self) -> Iterator[JudgedText]:
        """Yield everybody's day."""
        for name in self.meta.names:
            yield self._make_text(name, "day", self.days[name])

    def read_conversations(self) -> Iterator[JudgedText]:
        """Yield the conversations in which anything was said."""
        members: dict[int, set[str]] = {}
        lines: dict[int, list[Event]] = {}
        for event in self.events:
            if event.kind == "converse" and event.agent is not None:
                members.setdefault(event.data["conversation"], set()).add(event.agent)
            elif event.kind == "say" and event.data["conversation"] is not None:
                lines.setdefault(event.data["conversation"], []).append(event)
        for id_, spoken in lines.items():
            who = ", ".join(sorted(members.get(id_, ())))
            yield self._make_text(who, f"conversation {id_}", self._format_transcript(spoken))

    def _make_text(self, agent: str, question: str, text: str) -> JudgedText:
        who = [self.people[name] for name in agent.split(", ") if name in self.people]
        person = clean("\n".join(who), _PERSON, lines=True)
        return replace(self._blank, agent=agent, question=question, text=text, person=person)

    def _format_transcript(self, events: list[Event]) -> str:
        """Return a transcript; of a long one the beginning is left out."""
        lines = list(format_transcript(events, self.record.time))
        lengths = accumulate(len(line) + 1 for line in reversed(lines))
        fit = sum(length <= _DAY for length in lengths)
        return "\n".join(lines[len(lines) - fit :])


def number_questions(
    scenario: Scenario, names: Sequence[str]
) -> dict[tuple[When, str, str], tuple[str, int]]:
    """Return the id of every question of a scenario, by when, to whom and in which words.

    Behind it stands its number among those that the same question puts to one agent.
    """
    put: dict[tuple[When, str, str], tuple[str, int]] = {}
    for when in WHENS:
        seen: Counter[tuple[str, str]] = Counter()
        for one in list_questions(scenario, names, when):
            put[when, one.agent, one.text] = one.question_id, seen[one.agent, one.question_id]
            seen[one.agent, one.question_id] += 1
    return put


def describe_person(person: Person) -> str:
    """Return who somebody is at the start: name, age, traits, nature and doings, in one line."""
    age = "" if person.age is None else f", {person.age}"
    traits = f" ({', '.join(person.traits)})" if person.traits else ""
    who = "; ".join(text for text in (person.persona, person.currently) if text)
    return f"{person.name}{age}{traits}: {who}"
