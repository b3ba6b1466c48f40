"""A recorded run as an object for notebooks: data frames, pictures, and what it is at a glance."""

import re
from base64 import b64encode
from datetime import datetime
from functools import cached_property
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from genagents_env.errors import ConfigError
from genagents_env.record import RunMeta, RunReader
from genagents_env.record.town_times import find_last_tick, find_tick
from genagents_env.show import run_frames
from genagents_env.show.pictures import WIDTH, RunPictures
from genagents_env.show.snapshots import RunSnapshots
from genagents_env.show.summary import describe_run
from genagents_env.text import clean

if TYPE_CHECKING:
    from pandas import DataFrame


def load_run(path: str | Path) -> "LoadedRun":
    """Return the run in a file (`.sqlite`, `.sqlite.xz`, `.sqlite.gz`), also while it is written.

    Raises:
        RecordError: the file is missing, foreign, damaged, or newer.
    """
    return LoadedRun(path)


class LoadedRun:
    """A recorded run.

    Each frame is read when it is asked for, as far as the run is recorded then, so keep it in a
    variable; frames need the extra `lab`. At the end of a notebook's cell a run shows what it is,
    and its last tick.

    Args:
        path: of the run file.

    Attributes:
        path: of the run file.
        reader: the record behind it, for all that has no frame: prompts, notes, verdicts.

    Raises:
        RecordError: the file is missing, foreign, damaged, or newer.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.reader = RunReader(path)

    @property
    def meta(self) -> RunMeta:
        """What the run is: scenario, policies, seed, names, clock, model."""
        return self.reader.meta

    @property
    def events(self) -> "DataFrame":
        """All that happened, in order.

        Columns: `event` (int64, its id), `tick` (int64), `time` (datetime64[s], of the town),
        `kind` (string, as `world.events` lists them), `agent` (string, whom it is about), `place`
        (string, `sector/arena`), then what an event of its kind has and others miss: `doing`,
        `emoji`, `object`, `state`, `text`, `to`, `fact`, `cause` (of sleeping and waking),
        `source`, `reason`, `action`, `around`, `with` (string), `asleep`, `phone` (boolean),
        `conversation`, `cause_event` (the id of the event by which a fact was learned), `longer`
        (tiles), `waited` (simulated seconds) (Int64), `heard_by`, `addressed`, `facts`, `members`,
        `moved` (tuples of strings).
        """
        return run_frames.make_events(self.reader, self._snapshots)

    @property
    def utterances(self) -> "DataFrame":
        """All that was said, in order.

        Columns: `event` (int64), `tick` (int64), `time` (datetime64[s]), `agent` (string, who says
        it), `text` (string), `to` (string, missing where it is said to nobody in particular),
        `addressed`, `heard_by` (tuples of names), `conversation` (Int64), `phone` (bool), `facts`
        (tuple of the ids of facts it tells), `place` (string, the speaker's).
        """
        return run_frames.make_utterances(self.reader, self._snapshots)

    @property
    def positions(self) -> "DataFrame":
        """A line for each person at each tick, as it ends.

        Columns: `tick` (int64), `time` (datetime64[s]), `agent` (category), `x`, `y` (int16, tiles
        from the upper left corner), `place` (category), `present`, `asleep` (bool), `doing`,
        `emoji` (category). 25 people have 216,000 lines a day of 8,640 ticks.
        """
        return run_frames.make_positions(self.reader, self._snapshots)

    @property
    def calls(self) -> "DataFrame":
        """Every model call, by agent, tick, purpose and number; prompts are in `reader.prompts()`.

        Columns: `tick` (int64), `time` (datetime64[s]), `agent`, `purpose`, `faculty` (string: the
        purpose up to its first dot), `number` (int64), `model`, `outcome` (`reply` or `fallback`),
        `reply` (JSON), `fault` (string, missing where nothing went wrong), `prompt_tokens`,
        `completion_tokens`, `reasoning_tokens`, `attempts`, `reasks`, `truncated` (int64),
        `latency_seconds` (float64, wall clock), `dollars` (float64, NaN where no price is known).
        """
        return run_frames.make_calls(self.reader)

    @property
    def interviews(self) -> "DataFrame":
        """Every answer, by tick, then as they were asked.

        Columns: `tick` (int64), `time` (datetime64[s]), `agent`, `question`, `answer` (string),
        `evidence` (tuple of ids of events), `repeat` (int64: which of the interviews from the same
        state of mind).
        """
        return run_frames.make_interviews(self.reader)

    def picture(
        self,
        at: str | int | datetime | None = None,
        *,
        place: str | None = None,
        person: str | None = None,
        width: int | None = WIDTH,
    ) -> Image.Image:
        """Return a picture of a moment; a notebook shows it.

        Args:
            at: a town time (`17:10` of the first day, `2023-02-14T17:10`, a datetime) or a tick;
                None is the last.
            place: only this part of the map.
            person: only what is around this person.
            width: pixels across; None draws the whole town as `rgb_array` does.

        Raises:
            ConfigError: the run has no such moment, place or person.
        """
        tick = self._find_tick(at)
        pictures = RunPictures(self._snapshots, place, person, width)
        return Image.fromarray(pictures.draw(tick))

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self.reader.close()

    def __enter__(self) -> "LoadedRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<run {self.path}: {self.meta.scenario.name}, {self.reader.last_tick + 1:,} ticks>"

    def _repr_png_(self) -> bytes:
        """Return the picture of the last tick."""
        file = BytesIO()
        self.picture().save(file, "PNG")
        return file.getvalue()

    def _repr_html_(self) -> str:
        """Return what the run came to, and the picture of its last tick."""
        lines = (f"run {self.path}", *describe_run(self.reader, brief=True))
        told = "\n".join(map(_make_safe, lines))
        shown = ""
        if self.reader.last_tick >= 0:
            picture = b64encode(self._repr_png_()).decode("ascii")
            shown = (
                f'<img alt="the last tick" width="{WIDTH}" src="data:image/png;base64,{picture}">'
            )
        return f'<pre style="white-space: pre-wrap">{told}</pre>{shown}'

    @cached_property
    def _snapshots(self) -> RunSnapshots:
        return RunSnapshots(self.reader)

    def _find_tick(self, at: str | int | datetime | None) -> int:
        last = find_last_tick(self.reader)
        if isinstance(at, datetime):
            at = at.isoformat()
        if isinstance(at, str):
            return find_tick(self.reader, at, "at")
        tick = last if at is None else at
        if not 0 <= tick <= last:
            raise ConfigError(f"{self.path} has no tick {tick}; its last is {last}")
        return tick


def _make_safe(line: str) -> str:
    """Return a line that a record may have told as HTML; the columns of a table stay."""
    parts = re.split("( {2,})", line)
    return escape("".join(clean(part, 300) if part.strip(" ") else part for part in parts))
