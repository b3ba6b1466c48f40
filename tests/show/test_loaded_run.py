"""`load_run`: what the frames hold is what the record holds; what a notebook shows is escaped."""

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from genagents_env import load_run
from genagents_env.errors import ConfigError
from genagents_env.record import RunWriter
from genagents_env.show import run_frames
from genagents_env.show.loaded_run import LoadedRun
from genagents_env.show.snapshots import RunSnapshots
from tests.record.lived import call, live, make_meta

FOLDER = Path(__file__).parents[2] / "examples" / "runs"
MYSTERY = FOLDER / "murder_mystery.sqlite.xz"
pytest.importorskip("pandas", reason="the extra `lab` brings it")


@pytest.fixture(scope="module")
def shipped() -> LoadedRun:
    run: LoadedRun = load_run(MYSTERY)
    return run


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("events", run_frames.EVENTS),
        ("utterances", run_frames.UTTERANCES),
        ("positions", run_frames.POSITIONS),
        ("calls", run_frames.CALLS),
        ("interviews", run_frames.INTERVIEWS),
    ],
)
def test_a_frame_has_its_columns_of_their_types_and_tells_them(
    name: str, columns: dict[str, str], shipped: LoadedRun, tmp_path: Path
) -> None:
    frame = getattr(shipped, name)
    assert {key: str(kind) for key, kind in frame.dtypes.items()} == columns
    told = getattr(LoadedRun, name).__doc__
    assert [key for key in columns if f"`{key}`" not in told] == []
    with RunWriter.create(tmp_path / "empty.sqlite", make_meta()):
        empty = getattr(load_run(tmp_path / "empty.sqlite"), name)
    assert len(empty) == 0
    assert list(empty.columns) == list(columns)


def test_events_are_those_of_the_record_with_clock_time(shipped: LoadedRun) -> None:
    frame, events = shipped.events, list(shipped.reader.events())
    assert frame["event"].tolist() == [event.id for event in events]
    assert frame["kind"].tolist() == [event.kind for event in events]
    for row, event in zip(frame.to_dict("records"), events, strict=True):
        assert (row["tick"], row["time"]) == (event.tick, shipped.reader.time(event.tick))
        assert row["agent"] == event.agent or (event.agent is None and row["agent"] is not None)
        for key, value in event.data.items():
            if key == "tile":
                continue
            asked = "cause_event" if (event.kind, key) == ("learn", "cause") else key
            kept = row[asked]
            assert (list(kept) if isinstance(value, list) else kept) == value or value is None
    missing = frame[frame.kind == "arrive"]
    assert missing["text"].isna().all()
    assert missing["place"].notna().all()


def test_utterances_are_those_of_the_record_and_where_they_were_said(shipped: LoadedRun) -> None:
    frame = shipped.utterances
    said = [event for event in shipped.reader.events() if event.kind == "say"]
    assert frame["text"].tolist() == [event.data["text"] for event in said]
    assert frame["heard_by"].tolist() == [tuple(event.data["heard_by"]) for event in said]
    assert frame["agent"].tolist() == [event.agent for event in said]
    assert frame["time"].iloc[0] == shipped.reader.time(said[0].tick)
    snapshots = RunSnapshots(shipped.reader)
    for row in frame.itertuples():
        at = shipped.meta.names.index(row.agent)
        arena = int(snapshots.find(row.tick).arena[at])
        assert row.place == snapshots.plan.arena_id(arena)


def test_positions_have_a_line_for_each_person_and_tick(shipped: LoadedRun) -> None:
    frame, names = shipped.positions, shipped.meta.names
    ticks = list(shipped.reader.ticks())
    assert len(frame) == len(ticks) * len(names)
    for tick, positions in (ticks[0], ticks[77], ticks[-1]):
        rows = frame[frame.tick == tick]
        assert rows["agent"].tolist() == list(names)
        assert np.array_equal(rows[["x", "y"]].to_numpy(), positions)
        assert set(rows["time"]) == {shipped.reader.time(tick)}
    snapshot = RunSnapshots(shipped.reader).find(77)
    rows = frame[frame.tick == 77]
    assert rows["doing"].tolist() == list(snapshot.doing)
    assert rows["emoji"].tolist() == list(snapshot.emoji)
    assert rows["asleep"].tolist() == snapshot.asleep.tolist()
    assert rows["present"].tolist() == snapshot.present.tolist()


def test_calls_are_those_of_the_record_and_what_they_cost(shipped: LoadedRun) -> None:
    frame, calls = shipped.calls, list(shipped.reader.calls())
    assert len(calls) == len(frame) > 50
    for key in ("agent", "tick", "purpose", "reply", "prompt_tokens", "latency_seconds"):
        assert frame[key].tolist() == [getattr(call, key) for call in calls]
    assert set(frame["faculty"]) == {call.purpose.split(".")[0] for call in calls}
    spent = shipped.reader.sum_calls()
    assert frame["dollars"].sum() == pytest.approx(float(spent.dollars or 0))


def test_interviews_are_those_of_the_record(shipped: LoadedRun) -> None:
    frame, rows = shipped.interviews, shipped.reader.interviews()
    assert len(rows) > 3
    assert frame["answer"].tolist() == [row.answer for row in rows]
    assert frame["evidence"].tolist() == [row.evidence for row in rows]


def test_a_run_that_is_written_is_read_as_far_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 4)
        run = load_run(path)
        assert (len(run.positions), len(run.events)) == (10, 10)
        live(writer, 9)
        assert (len(run.positions), len(run.events)) == (20, 20)
        assert run.positions["tick"].max() == 9
        assert repr(run) == f"<run {path}: tiny, 10 ticks>"
        assert "running" in run._repr_html_()


def test_a_moment_is_drawn_however_it_is_named(shipped: LoadedRun) -> None:
    shown = shipped.picture("11:02", place="ramen shop", width=400)
    assert shown.size[0] == 400
    for same in (24, "2023-04-04T11:02:00", shipped.reader.time(24)):
        other = shipped.picture(same, place="Ramen Shop", width=400)
        assert np.array_equal(np.asarray(other), np.asarray(shown))
    last = Image.open(BytesIO(shipped._repr_png_()))
    assert np.array_equal(np.asarray(last), np.asarray(shipped.picture()))


@pytest.mark.parametrize(
    ("at", "said"),
    [("12:00", "at 12:00: .* it goes from"), ("late", "is not a time"), (181, "its last is 180")],
)
def test_another_moment_is_refused(at: str | int, said: str, shipped: LoadedRun) -> None:
    with pytest.raises(ConfigError, match=said):
        shipped.picture(at)


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(" ".join([tag, *(name for name, _ in attrs)]))


def test_what_a_notebook_shows_holds_no_foreign_markup(tmp_path: Path) -> None:
    bad = '<img src=x onerror=alert(1)>"&\u202e\x1b[31m'
    meta = make_meta()
    facts = tuple(one.model_copy(update={"statement": bad}) for one in meta.scenario.facts)
    meta = replace(meta, scenario=meta.scenario.model_copy(update={"facts": facts}))
    path = tmp_path / "a<b>\u202e.sqlite"
    with RunWriter.create(path, meta) as writer:
        live(writer, 3)
        writer.cassette.put(*call(3))
    run = load_run(path)
    shown = run._repr_html_()
    page = Elements()
    page.feed(shown)
    assert set(page.found) == {"pre style", "img alt width src"}
    assert shown.count("<img") == 1
    assert shown.count("&lt;img src=x onerror=alert(1)&gt;") == len(facts) > 0
    assert not re.search("[\u202e\x1b]", shown)
    assert "a&lt;b&gt;.sqlite" in shown
    assert re.search(r'src="data:image/png;base64,[\w+/=]+"', shown)


def test_without_pandas_it_is_said_how_to_get_it(
    shipped: LoadedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match=r"pandas is not installed: .*lab"):
        _ = shipped.events
    assert shipped.picture(3).size[0] == 900
