"""`genagents fork`: what if, by one command."""

from pathlib import Path

import pytest

from genagents_env.record import RunReader
from tests.cli.conftest import Run

RUN = ("run", "valentines_party", "--people", "Isabella,Maria,Klaus", "--place", "Hobbs Cafe")
HOW = ("--policy", "scripted", "--start", "10:00", "--hours", "0.5", "--interviews", "0", "--quiet")


@pytest.fixture
def day(genagents: Run) -> Run:
    assert genagents(*RUN, *HOW, "--out", "day.sqlite")[0] == 0
    return genagents


def test_a_fork_says_where_the_runs_part_and_so_does_a_report(day: Run) -> None:
    silence = ("--silence", "isabella@10:00..10:29")
    code, out, _ = day("fork", "day.sqlite", *silence, "--out", "silent.sqlite", "--quiet")
    assert code == 0
    assert "day.sqlite and silent.sqlite part at 2023-02-13 10:" in out
    assert "no word came out" in out
    assert "day.sqlite and silent.sqlite part at" in day("report", "day.sqlite", "silent.sqlite")[1]


def test_words_and_events_of_a_file_are_those_of_the_fork(day: Run) -> None:
    Path("events.toml").write_text(
        '[[events]]\nat = 2023-02-13T10:20:00\nkind = "news"\ntext = "The cafe is on fire."\n'
    )
    changes = ("--say", "isabella@10:00=Hello there.", "--events", "events.toml")
    assert day("fork", "day.sqlite", *changes, "--out", "fork.sqlite", "--quiet")[0] == 0
    with RunReader("fork.sqlite") as run:
        assert [e.data["text"] for e in run.events(kind="news")] == ["The cafe is on fire."]
        assert any(e.data["text"] == "Hello there." for e in run.events(kind="say"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say --at where to fork"),
        (("--silence", "isabella"), "expected WHO@TIME"),
        (("--silence", "nobody@10:00"), "nobody"),
        (("--silence", "isabella@10:29:50"), "says nothing from then on"),
        (("--silence", "isabella@10:00..09:00"), "isabella@10:00..09:00: it ends before it begins"),
        (("--say", "isabella@10:00"), "expected WHO@TIME=WORDS"),
        (("--say", f"isabella@10:00={'x' * 301}"), "at most 300 characters; these are 301"),
        (("--at", "10:20", "--policy", "idle"), "for whom? Write it as PEOPLE=idle"),
        (("--at", "12:00"), "has no 2023-02-13T12:00:00"),
        (("--events", "none.toml"), "none.toml"),
        (("--events", "bad.toml"), "bad.toml:events[0].wat"),
        (("--at", "10:25", "--say", "isabella@10:00=Hello."), "not after the fork"),
    ],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(
    day: Run, arguments: tuple[str, ...], words: str
) -> None:
    Path("bad.toml").write_text('[[events]]\nat = 2023-02-13T10:20:00\nkind = "news"\nwat = 1\n')
    code, _, err = day("fork", "day.sqlite", *arguments, "--out", "fork.sqlite")
    assert (code, words in err) == (2, True), err
    assert not Path("fork.sqlite").exists()
