"""What a measure is: a function of run data, with its name, unit, definition and source."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from genagents_env.evaluate.run_data import RunData
from genagents_env.text import clean

Values: TypeAlias = float | Mapping[str, float | None] | None
Better: TypeAlias = Literal["more", "less", ""]

_MESSAGE = 300  # characters of what a measure raised
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run, or several that have keys, such as one for each fact.

    Attributes:
        name: by which it is chosen, `[a-z][a-z0-9_]{0,39}`.
        title: for the heads of tables and figures.
        unit: of the number; `share` is in 0..1.
        definition: what exactly is counted, over what, and when there is no number.
        source: of the definition, or who first used it.
        better: whether more or less of it is better; empty where neither is.
        of: the function. It gives None where the record gives the number no meaning.
        key: of its numbers this one alone; empty for all of them.
    """

    name: str
    title: str
    unit: str
    definition: str
    source: str
    better: Better
    of: Callable[[RunData], Values]
    key: str = ""

    @property
    def label(self) -> str:
        """Its name, with its key if it is of one alone: what its number is called."""
        return f"{self.name}.{self.key}" if self.key else self.name

    def as_json(self) -> dict[str, str]:
        """Return what it is, without the function."""
        return {
            "name": self.name,
            "title": self.title,
            "unit": self.unit,
            "definition": self.definition,
            "source": self.source,
            "better": self.better,
        }

    def take(self, data: RunData) -> dict[str, float | None]:
        """Return its numbers by full name: `{"density": 0.3}`, or `{"verified.party": 0.5, ...}`.

        What is not finite is no number, and becomes None. Of one key alone the answer is empty
        where the record does not have it, which is not the same as having no number.

        Raises:
            TypeError: the function gave something that is not a number.
        """
        values = self.of(data)
        if not isinstance(values, Mapping):
            return {} if self.key else {self.name: _read_number(self.name, values)}
        found = {f"{self.name}.{key}": _read_number(key, value) for key, value in values.items()}
        if not self.key:
            return found
        return {self.label: found[self.label]} if self.label in found else {}


def measure(
    name: str, title: str, unit: str, definition: str, source: str, better: Better = ""
) -> Callable[[Callable[[RunData], Values]], Measure]:
    """Return a decorator that makes a `Measure` of a function of `RunData`.

    Raises:
        ValueError: the name has other characters than a-z, 0-9 and _, or does not begin with a-z.
    """
    if NAME.fullmatch(name) is None:
        raise ValueError(f"a measure's name is {NAME.pattern}, not {name!r}")

    def wrap(of: Callable[[RunData], Values]) -> Measure:
        return Measure(name, title, unit, " ".join(definition.split()), source, better, of)

    return wrap


def ratio(part: float, whole: float) -> float | None:
    """Return `part` over `whole`; None where `whole` is 0."""
    return float(part) / float(whole) if whole else None


def take_measures(
    data: RunData, measures: Iterable[Measure]
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return the values of `measures`, and a message for each that raised on this data.

    What raised has no value. The rest is still computed, since a measure may be a user's.
    """
    values: dict[str, float | None] = {}
    faults: list[str] = []
    for one in measures:
        try:
            values |= one.take(data)
        except Exception as error:  # whatever a user's measure raises is reported
            told = clean(f"{type(error).__name__}: {error}", _MESSAGE)
            faults.append(f"measure {one.label} on {data.path.name}: {told}")
    return values, tuple(faults)


def _read_number(name: str, value: object) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]  # what it cannot take is the error reported
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, which is not a number") from None
    return number if math.isfinite(number) else None
