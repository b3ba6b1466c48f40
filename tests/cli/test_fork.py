"""`genagents fork`: what if, by one command."""

from pathlib import Path

from genagents_env.record import RunReader
from tests.cli.conftest import Run

RUN = ("run", "valentines_party", "--people", "Isabella,Maria,Klaus", "--place", "Hobbs Cafe")
HOW = ("--policy", "scripted", "--start", "10:00", "--hours", "0.5", "--interviews", "0", "--quiet")


def test_a_fork_has_what_was_changed_and_says_where_the_runs_part_as_a_report_does(
    genagents: Run,
) -> None:
    assert genagents(*RUN, *HOW, "--out", "day.sqlite")[0] == 0
    silence = ("--silence", "isabella@10:00..10:29", "--out", "silent.sqlite", "--quiet")
    code, out, _ = genagents("fork", "day.sqlite", *silence)
    assert (code, "no word came out" in out) == (0, True)
    for told in (out, genagents("report", "day.sqlite", "silent.sqlite")[1]):
        assert "day.sqlite and silent.sqlite part at 2023-02-13 10:" in told
    Path("events.toml").write_text(
        '[[events]]\nat = 2023-02-13T10:20:00\nkind = "news"\ntext = "The cafe is on fire."\n'
    )
    changes = ("--say", "isabella@10:00=Hello there.", "--events", "events.toml")
    assert genagents("fork", "day.sqlite", *changes, "--out", "fork.sqlite", "-q")[0] == 0
    with RunReader("fork.sqlite") as run:
        assert [e.data["text"] for e in run.events(kind="news")] == ["The cafe is on fire."]
        assert any(e.data["text"] == "Hello there." for e in run.events(kind="say"))
