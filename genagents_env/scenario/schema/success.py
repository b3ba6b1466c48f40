"""What people are asked, the checks that make verdicts, and what counts as success."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from genagents_env.scenario.fields import Id, Line, LocalTime, Model, Name, Patterns, Ref


class Question(Model):
    """A question put to people in interviews, which leave no trace in them.

    Attributes:
        id: By which checks and reports name it.
        text: Its words; with `about = "everyone"` a name takes the place of `{person}`.
        to: Who is asked; everybody where nobody is named.
        when: Before the run, after it, or both.
        about: `everyone`: it is asked once for every other person, and tells whether one knows
            them.
        fact: The fact that a knowing answer shows.
        gathering: The gathering that the answer is about: where one was, or why one did not come.
    """

    id: Id
    text: Line
    to: tuple[Name, ...] = ()
    when: Literal["before", "after", "both"] = "after"
    about: Literal["nobody", "everyone"] = "nobody"
    fact: str | None = None
    gathering: str | None = None


class AnswerCheck(Model):
    """Whether every answer to a question does what is asked of it: yes or no.

    By rule: yes where a pattern of `yes` is found in the answer and none of `no` is; without any
    pattern the rule has no opinion. By model: `ask` is put to a judge with question and answer.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        question: Whose answers are looked at.
        ask: What is asked of each answer, in words for a judge that is a model.
        yes: Any of them in the answer says yes.
        no: Any of them in the answer says no, whatever else is in it.
    """

    kind: Literal["answer"]
    id: Id
    question: Id
    ask: Line
    yes: Patterns = ()
    no: Patterns = ()


class Value(Model):
    """One of the values that an answer may have, and the words by which a rule knows it.

    Attributes:
        value: What it is called.
        patterns: An answer has it where any of them is found.
        no: But not where any of these is found.
    """

    value: Line
    patterns: Patterns = ()
    no: Patterns = ()


class ValueCheck(Model):
    """Which value an answer to a question has.

    By rule: the value one of whose patterns is found. What a pattern finds stands where its group
    `at` does, if it has one. Without any pattern the rule has no opinion. By model: `ask` is put to
    a judge with question, answer and the values to choose from.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        question: Whose answers are looked at.
        ask: What a judge that is a model is asked.
        values: Those that it may have.
        otherwise: What it has where it has none of them.
        several: Where several are found it has the one found first, or none of them.
    """

    kind: Literal["value"]
    id: Id
    question: Id
    ask: Line
    values: Annotated[tuple[Value, ...], Field(min_length=1, max_length=30)]
    otherwise: Line = "none"
    several: Literal["first", "otherwise"] = "otherwise"


class PlaceCheck(Model):
    """Whether one is at a place at a time.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        place: Where one has to be.
        at: When; the end of the run where it is left out.
    """

    kind: Literal["place"]
    id: Id
    place: Ref
    at: LocalTime | None = None


class FactCheck(Model):
    """Whether one knows a fact at a time, from the start or since one heard it, by its patterns.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        fact: Which fact.
        at: When; the end of the run where it is left out.
    """

    kind: Literal["fact"]
    id: Id
    fact: Id
    at: LocalTime | None = None


class ObjectCheck(Model):
    """Whether an object is in a state at a time, and it was one who put it so.

    Where it was in that state already, it is whoever brought it there.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        object: Which object.
        state: The state that it has to be in.
        at: When; the end of the run where it is left out.
        unseen_by: None of these people may have been awake in the same arena as it was done.
    """

    kind: Literal["object"]
    id: Id
    object: Ref
    state: Line
    at: LocalTime | None = None
    unseen_by: tuple[Name, ...] = ()


RecordCheck: TypeAlias = PlaceCheck | FactCheck | ObjectCheck  # decided without an interview
Check = Annotated[
    AnswerCheck | ValueCheck | PlaceCheck | FactCheck | ObjectCheck, Field(discriminator="kind")
]


class Success(Model):
    """What counts as success, of one check or of other successes.

    Exactly one of `check`, `all`, `any` and `none` is given.

    Attributes:
        id: By which further successes and reports name it.
        title: What it says, as a sentence for reports.
        check: The check whose verdicts are put together.
        of: The people whose verdicts count; all who have one where nobody is named.
        over: How they are put together: all of them, any, none, or `equal`: all have the same
            value, which is not the check's `otherwise`.
        value: Of a value check: the value that counts as yes.
        all: Successes before this one that must all hold.
        any: Successes before this one of which one must hold.
        none: Successes before this one of which none may hold.
    """

    id: Id
    title: Line
    check: Id | None = None
    of: tuple[Name, ...] = ()
    over: Literal["all", "any", "none", "equal"] = "all"
    value: Line | None = None
    all: tuple[Id, ...] = ()
    any: tuple[Id, ...] = ()
    none: tuple[Id, ...] = ()
