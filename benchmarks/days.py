"""How fine the days of a run are, beside the recorded day that the paper's public code ships.

Run: `python -m benchmarks.days RUN...`; run files of Smallville minds, finished or not. The
original's figures are of the day of three people in joonspk-research/generative_agents at fe05a71,
counted in the same way; the bounds are what is asked of 25 people on `valentines_party` with a
scripted model.
Rates are means over the hours in which agents were awake, all agents together.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from genagents_env.record import RunReader
from genagents_env.record.rows import CallRow
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.measures.talk import count_turns
from genagents_env.study.evaluate.run_data import RunData

_SPEAK = "converse.speak"
_TOGETHER = "someone else was speaking"  # how the world words that two spoke at once
_IDLE = "is idle"  # how memories word that a thing is in its first state


@dataclass(frozen=True, slots=True)
class DayFigure:
    """One row of the table.

    Attributes:
        name: by which documents name it.
        title: of the row.
        original: what it is in the original's day, empty where it is not known.
        least: of what is asked; None where nothing is.
        most: of what is asked, itself allowed; None where nothing is.
        share: whether it is shown as a percentage.
    """

    name: str
    title: str
    original: str = ""
    least: float | None = None
    most: float | None = None
    share: bool = False

    def format(self, value: float | None) -> str:
        """Return a value of it in words."""
        if value is None:
            return "none"
        if self.share:
            return f"{100 * value:.3g} %"
        return f"{value:,.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"

    @property
    def bounds(self) -> str:
        """What is asked, in words; empty where nothing is."""
        least, most = (None if at is None else self.format(at) for at in (self.least, self.most))
        if least and most:
            return f"{least} to {most}"
        return f"at least {least}" if least else f"at most {most}" if most else ""

    def judge(self, value: float | None) -> str:
        """Return `holds` or `FAILS` where something is asked, else nothing."""
        if self.least is None and self.most is None:
            return ""
        low, high = self.least or 0.0, float("inf") if self.most is None else self.most
        return "holds" if value is not None and low <= value <= high else "FAILS"


FIGURES = (
    DayFigure("walking", "walking while awake", "27 %", 0.10, 0.35, share=True),
    DayFigure("activities", "activities an hour", "5.4", 4, 7),
    DayFigure("turns", "utterances per conversation", "10.9, up to 16", 4, 16),
    DayFigure("longest", "longest conversation, utterances", "16"),
    DayFigure("remembered", "events remembered an hour (not idle ones)", "13.4"),
    DayFigure("things_used", "things changed an hour, beds apart", "4.8", 1),
    DayFigure("reflections", "reflections per agent and day", "7", 2, 8),
    DayFigure("calls", "model calls a day, of all people", "about 3,560"),
    DayFigure("together", "words refused since two opened at once", "", None, 0),
    DayFigure("unspoken", "calls for words that nobody got to say", "", None, 0.02, share=True),
    DayFigure("wishes", "wishes about places and things that came to nothing, on record"),
    DayFigure("fallbacks", "replies that could not be used"),
)


def measure_days(data: RunData) -> dict[str, float | None]:
    """Return the figures of a run by name."""
    taken = {
        name: load_measure(name).take(data)[name]
        for name in ("walking", "activities", "things_used", "reflections", "turns")
    }
    lived = [call for call in data.calls if not call.purpose.startswith(("interview", "judge"))]
    turns = [sum(counts.values()) for counts in count_turns(data).values()]
    events = sum(_IDLE not in text for text in list_remembered_events(data))
    return {
        **taken,
        "turns": fmean(turns) if turns else None,
        "longest": float(max(turns)) if turns else None,
        "remembered": events / data.waking_hours if data.waking_hours else None,
        "calls": len(lived) * 24 / data.hours if data.hours else None,
        "together": float(count_refused_openings(data)),
        "unspoken": share_unspoken(data, lived),
        "wishes": float(sum(note.kind == "wish" for note in data.reader.notes())),
        "fallbacks": float(sum(call.outcome == "fallback" for call in lived)),
    }


def list_remembered_events(data: RunData) -> list[str]:
    """Return the texts of what everybody perceived, by the last checkpoint of the run.

    What was kept from earlier days is left out; so is what minds without a stream remember.
    """
    checkpoint = data.reader.checkpoint(data.last_tick)
    minds = [] if checkpoint is None else [m for p in checkpoint.policies for m in p.values()]
    streams = [mind["stream"] for mind in minds if isinstance(mind, dict) and "stream" in mind]
    return [
        text
        for stream in streams
        for kind, text, cause in zip(stream["kind"], stream["text"], stream["cause"], strict=True)
        if kind == "event" and cause != "seed"
    ]


def count_refused_openings(data: RunData) -> int:
    """Return how often words were refused in the tick in which their conversation was opened."""
    opened = {
        (event.tick, name) for event in data.of_kind("converse") for name in event.data["members"]
    }
    return sum(
        (event.tick, event.agent) in opened
        for event in data.of_kind("fail")
        if event.data["action"] == "talk" and event.data["reason"] == _TOGETHER
    )


def share_unspoken(data: RunData, calls: Sequence[CallRow]) -> float | None:
    """Return the share of calls for words after which their agent said none before the next one.

    A reply that leaves the words out on purpose, to pass or to leave, is not counted.
    """
    asked = [call for call in calls if call.purpose == _SPEAK and _has_words(call.reply)]
    ticks: dict[str, list[int]] = {}
    for event in data.utterances:
        ticks.setdefault(str(event.agent), []).append(event.tick)
    lost = 0
    following = {
        (one.agent, one.tick): other.tick
        for one, other in pairwise(asked)
        if one.agent == other.agent
    }
    for call in asked:
        until = following.get((call.agent, call.tick), data.last_tick + 1)
        lost += not any(call.tick <= tick <= until for tick in ticks.get(call.agent, ()))
    return lost / len(asked) if asked else None


def _has_words(reply: str) -> bool:
    try:
        told = json.loads(reply)
    except ValueError:
        return True
    return not isinstance(told, dict) or bool(str(told.get("say", "")).strip())


def read_days(path: Path) -> dict[str, float | None]:
    """Return the figures of a run file."""
    with RunReader(path) as reader:
        return measure_days(RunData(reader))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    options = parser.parse_args()
    for path in options.runs:
        print(path)
        values = read_days(path)
        for figure in FIGURES:
            value = values[figure.name]
            print(
                f"  {figure.title:62}{figure.format(value):>10}   {figure.original:>16}"
                f"   {figure.judge(value)}".rstrip()
            )


if __name__ == "__main__":
    main()
