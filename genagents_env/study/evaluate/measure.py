"""What a measure is: a function of run data, with its name, unit, definition and source."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from genagents_env.study.evaluate.run_data import RunData
from genagents_env.text import clean

REACHED, NOT_REACHED, FROM_THE_START = "reached", "not reached", "from the start"
NOT_APPLICABLE, NOBODY_ASKED = "not applicable", "nobody asked"
# Measures of what people say when they are asked: without an answer nobody was asked.
_OF_ANSWERS = (
    *("acquainted", "changed", "hallucinated", "retrieved", "success", "success_majority"),
    *("uncited", "verified"),
)
_OF_ONE = ("share", "0..1")  # units
_MESSAGE = 300  # characters of what a measure raised
MEASURE_COLUMNS = ("name", "title", "unit", "definition", "source")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A number of a run, or why there is none.

    Attributes:
        number: None where the record gives it no meaning. Of what had not happened when the run
            ended it is the time up to then.
        why: `reached` of a time, `not reached` (then it is censored), `from the start`, `not
            applicable`, `nobody asked`; empty of any other number.
        censored: the run ended before the event: the time is at least `number`.
    """

    number: float | None
    why: str = ""
    censored: bool = False

    @property
    def seen(self) -> float | None:
        """The number; None of a time up to which the event was not seen."""
        return None if self.censored else self.number


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value with its measure, and its key where the measure has several."""

    measure: str
    key: str
    value: MeasuredValue

    @property
    def name(self) -> str:
        """Measure and key in one: `heard.party`."""
        return f"{self.measure}.{self.key}" if self.key else self.measure


def split_key(words: str) -> tuple[str, str]:
    """Return the label of a measure, `PATH.py:NAME` of one in a file, and the key; or no key."""
    path, colon, name = words.rpartition(":") if ".py:" in words else ("", "", words)
    stem, _, key = name.partition(".")
    return f"{path}{colon}{stem}", key


def belongs_to(name: str, words: str) -> bool:
    """Return whether a value is of a measure, or of its one key where it is named with one."""
    label, key = split_key(words)
    stem = label.rpartition(":")[2]
    return name == f"{stem}.{key}" if key else name == stem or name.startswith(f"{stem}.")


def find_range(unit: str) -> tuple[float, float]:
    """Return the least and the most that a number of this unit can be."""
    return (0.0, 1.0) if unit in _OF_ONE else (-math.inf, math.inf)


Number: TypeAlias = float | MeasuredValue | None
Values: TypeAlias = Number | Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run, or several that have keys, such as one for each fact.

    Attributes:
        name: by which it is chosen, `[a-z][a-z0-9_]{0,39}`.
        title: for the heads of tables and figures.
        unit: of the number; `share` is in 0..1.
        definition: what exactly is counted, over what, and when there is no number.
        source: of the definition, or who first used it.
        of: the function. It gives None where the record gives the number no meaning.
        key: of its numbers this one alone; empty for all of them.
        says: of a share of people, what so many of 100 do, with `{key}` for the key: `heard of
            {key}`; empty where no sentence is to be had.
    """

    name: str
    title: str
    unit: str
    definition: str
    source: str
    of: Callable[[RunData], Values]
    key: str = ""
    says: str = ""

    @property
    def label(self) -> str:
        """Its name, with its key if it is of one alone: what its number is called."""
        return f"{self.name}.{self.key}" if self.key else self.name

    def as_json(self) -> dict[str, str]:
        """Return what it is, without the function."""
        return {name: getattr(self, name) for name in MEASURE_COLUMNS}

    def take(self, data: RunData) -> dict[str, float | None]:
        """Return its numbers by full name: `{"density": 0.3}`, or `{"verified.party": 0.5, ...}`.

        None where there is no number, or the event was not seen; raises as `take_values`.
        """
        return {one.name: one.value.seen for one in self.take_values(data)}

    def take_values(self, data: RunData) -> list[NamedValue]:
        """Return its values: one, or one for each key.

        What is not finite is no number. Of one key alone there are none where the record does not
        have it, which is not the same as having no number.

        Raises:
            TypeError: the function gave something that is not a number.
        """
        values = self.of(data)
        several = values if isinstance(values, Mapping) else {"": values}
        return [
            NamedValue(self.name, str(key), self._read(data, str(key) or self.name, value))
            for key, value in several.items()
            if self.key in ("", str(key))
        ]

    def _read(self, data: RunData, name: str, given: Number) -> MeasuredValue:
        value = given if isinstance(given, MeasuredValue) else _read_number(name, given)
        if value.number is None and not value.why:
            unasked = self.name in _OF_ANSWERS and not data.interviews
            return MeasuredValue(None, NOBODY_ASKED if unasked else NOT_APPLICABLE)
        return value


def measure(
    title: str, unit: str, source: str, *, says: str = ""
) -> Callable[[Callable[[RunData], Values]], Measure]:
    """Return a decorator that makes a `Measure` of a function of `RunData`.

    The measure is named as the function is, and its definition is the function's docstring.

    Raises:
        ValueError: the name has other characters than a-z, 0-9 and _, or does not begin with a-z.
    """

    def wrap(of: Callable[[RunData], Values]) -> Measure:
        name, definition = of.__name__, " ".join((of.__doc__ or "").split())
        if NAME.fullmatch(name) is None:
            raise ValueError(f"a measure's name is {NAME.pattern}, not {name!r}")
        return Measure(name, title, unit, definition, source, of, says=says)

    return wrap


def ratio(part: float, whole: float | None) -> float | None:
    """Return `part` over `whole`; None where `whole` is 0 or None."""
    return float(part) / float(whole) if whole else None


def take_values(
    data: RunData, measures: Iterable[Measure]
) -> tuple[tuple[NamedValue, ...], tuple[str, ...]]:
    """Return the values of `measures`, and a message for each that raised on this data.

    What raised has no value. The rest is still computed, since a measure may be a user's. Of a
    number that two of them give, as `heard` and `heard.party` do, there is one value.
    """
    values: dict[str, NamedValue] = {}
    faults: list[str] = []
    for one in measures:
        try:
            values |= {value.name: value for value in one.take_values(data)}
        except Exception as error:  # whatever a user's measure raises is reported
            told = clean(f"{type(error).__name__}: {error}", _MESSAGE)
            faults.append(f"measure {one.label} on {data.path.name}: {told}")
    return tuple(values.values()), tuple(faults)


def _read_number(name: str, given: float | None) -> MeasuredValue:
    try:
        number = None if given is None else float(given)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {given!r}, which is not a number") from None
    return MeasuredValue(number if number is not None and math.isfinite(number) else None)
