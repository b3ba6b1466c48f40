"""`show --story`: a run to read, scene by scene, on a terminal, in a file, or as JSON Lines."""

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from genagents_env.study.evaluate.run_data import RunData
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    Happening,
    begins,
    does,
    joins,
    leaves,
    make_utterance,
    record_street,
)

FOLDER = Path(__file__).parents[2] / "examples" / "runs"
PARTY = str(FOLDER / "smallville_13_february.sqlite.xz")
MURDER = str(FOLDER / "murder_mystery.sqlite.xz")


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write as to a file, 80 columns wide, whatever the tests are run in."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def test_a_story_shows_who_heard_what_from_whom_between_what_people_do(genagents: Run) -> None:
    code, out, err = genagents("show", PARTY, "--story")
    assert (code, err) == (0, "")
    assert out.startswith("A Valentine's party at Hobbs Cafe\nWith Isabella Rodriguez, Maria")
    for words in (
        "\nMonday 13 February 2023\n",
        "09:57  Hobbs Cafe, cafe · Isabella Rodriguez tells Maria Lopez of party",
        "       Isabella  \"The town has a party for you, hermana: tomorrow, Valentine's",
        "                 ★ Maria hears of party for the first time, from Isabella\n",
        "07:02  Dorm for Oak Hill College, bathroom · Klaus: taking a long shower",
        "Maria sleeps until 09:00",
    ):
        assert words in out
    assert "walking to" not in out
    talk = genagents("show", PARTY, "--dialogue")[1]
    assert ("shower" in talk, "sleeps" in talk, talk.count("· ")) == (False, False, 3)


def test_namesakes_keep_whole_names_and_people_of_one_activity_share_a_line(
    tmp_path: Path, genagents: Run
) -> None:
    names = ["Ada Brook", "Ada Stone"]
    begun = [begins(name, CAFE) for name in names]
    done = [does(tick, name, "singing ♪") for tick, name in enumerate(names, 1)]
    said = make_utterance(3, names[0], "Hello!", names[1:], conversation=None)
    with record_street(tmp_path, [*begun, *done, said], last=12, names=names):
        pass
    out = genagents("show", str(tmp_path / "run.sqlite"), "--story")[1]
    assert '  Ada Brook  "Hello!"' in out
    assert "08:00  Cafe, cafe · Ada Brook and Ada Stone: singing ♪\n" in out


def test_one_fact_is_followed_through_the_run(genagents: Run) -> None:
    out = genagents("show", MURDER, "--fact", "Argument", "--story")[1]
    assert "hears of argument for the first time" in out
    assert "11:12" not in out  # the second talk is not about it
    code, _, err = genagents("show", MURDER, "--fact", "argumnt")
    assert (code, err) == (2, "genagents: no fact is called 'argumnt'; did you mean argument?\n")


def test_a_story_is_cut_by_time_and_person(genagents: Run) -> None:
    out = genagents("show", PARTY, "--story", "--from", "09:00", "--to", "09:57:50")[1]
    times = re.findall(r"^(\d\d:\d\d)  ", out, re.M)
    assert times[0] == "07:00"  # Maria still sleeps
    assert times[-1] == "09:57"
    assert "A party! Yes, yes" not in out  # said ten seconds later
    of_maria = genagents("show", PARTY, "--story", "--agent", "maria")[1]
    assert "tells Maria Lopez of party" in of_maria
    assert "tells Klaus Mueller of party" not in of_maria


@pytest.mark.parametrize("columns", [60, 200])
def test_lines_fit_the_width(columns: int, genagents: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for run in (PARTY, MURDER):
        lines = genagents("show", run, "--story")[1].splitlines()
        assert max(map(cell_len, lines)) <= min(columns, 100)


def test_colours_are_for_terminals_and_can_be_had_elsewhere(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in genagents("show", PARTY, "--story")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = genagents("show", PARTY, "--story")[1]
    assert "\x1b[1;33m★" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;33m" not in genagents("show", PARTY, "--story")[1]


def test_scenes_and_events_as_json_lines(genagents: Run) -> None:
    code, out, _ = genagents("show", PARTY, "--story", "--json")
    scenes = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    talk = next(one for one in scenes if one["kind"] == "talk")
    assert (talk["from"], talk["to"]) == ("2023-02-13T07:36:00", "2023-02-13T07:36:40")
    assert talk["people"] == ["Klaus Mueller", "Isabella Rodriguez"]
    learned = [line for line in talk["lines"] if line["kind"] == "learn"]
    assert [(one["agent"], one["facts"], one["other"]) for one in learned] == [
        ("Klaus Mueller", ["party"], "Isabella Rodriguez")
    ]
    told = genagents("show", PARTY, "--json", "--agent", "lopez", "--to", "09:00:10")[1]
    events = [json.loads(line) for line in told.splitlines()]
    assert {one["agent"] for one in events} == {"Maria Lopez"}
    start = next(one for one in events if one["kind"] == "start")
    assert set(start) == {"id", "tick", "time", "kind", "agent", "data"}
    assert (start["time"], start["agent"]) == ("2023-02-13T07:00:00", "Maria Lopez")
    assert start["data"]["asleep"]
    assert {"wake", "object"} <= {one["kind"] for one in events}


def test_what_people_say_cannot_dress_up_the_terminal(
    tmp_path: Path, genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    happenings: list[Happening] = [
        begins(ADA, CAFE, "reading [link=http://x]\x1b]8;;http://x\x07this"),
        begins(BEN, CAFE),
        does(8, ADA, "\x9b31mpainting :smile: [red]red[/red]"),
        *joins(2, 0, ADA, BEN),
        make_utterance(2, ADA, "[bold]Hi\x1b[31m\r\n★ Ben hears of cake [/bold]", [BEN]),
        make_utterance(3, BEN, "unbroken" * 40, [ADA]),
        leaves(4, 0, BEN),
        leaves(4, 0, ADA),
    ]
    with record_street(tmp_path, happenings, last=12) as data:
        assert isinstance(data, RunData)
    out = genagents("show", str(tmp_path / "run.sqlite"), "--story")[1]
    assert '"[bold]Hi ★ Ben hears of cake [/bold]"' in out
    assert "painting :smile: [red]red[/red]" in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out)
    assert max(map(cell_len, out.splitlines())) <= 80
