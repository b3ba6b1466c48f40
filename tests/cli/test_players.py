"""People who play in the terminal: they read what their agents perceive, and write actions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genagents_env.cli.live_page import find_players
from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunSpec, run
from tests.show.view.processes import ROOT

WORDS = ("tiny", "--hours", "0.03", "--interviews", "0", "--quiet")


def play(folder: Path, entered: str, *words: str) -> str:
    """Run a command with what people enter, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "genagents_env", *words],
        input=entered,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_person_plays_in_the_terminal(tmp_path: Path) -> None:
    entered = "(TALK) Good morning!\nhm\n\n(MOVE) study\n"
    told = play(tmp_path, entered, "run", *WORDS, "--policy", "Ada=human", "--out", "a.sqlite")
    assert "Ada Brook: you play" in told
    assert told.count("That is no action") == 1
    assert "You are Ada Brook, in Cottage/kitchen" in told
    assert "nothing is entered any more, so from here on away: Ada Brook" in told
    with RunReader(tmp_path / "a.sqlite") as record:
        assert [e.data["text"] for e in record.events(kind="say")][:1] == ["Good morning!"]
        walked = [e.data["doing"] for e in record.events(kind="doing") if e.agent == "Ada Brook"]
    assert any("study" in doing for doing in walked)
    assert "away" in walked


def test_a_fork_is_played_by_somebody_from_there_on(tmp_path: Path) -> None:
    run(RunSpec(TownConfig("tiny", hours=0.03), policy=PolicySpec("idle")), tmp_path / "a.sqlite")
    words = ("fork", "a.sqlite", "--at", "09:01", "--policy", "Ben=human", "--out", "b.sqlite")
    told = play(tmp_path, "(TALK) Here I am.\n", *words, "--quiet")
    assert "Ben Carver: you play" in told
    assert "begins with nothing" not in told  # idle remembers nothing
    with RunReader(tmp_path / "b.sqlite") as record:
        assert [e.data["text"] for e in record.events(kind="say")] == ["Here I am."]


def test_players_are_those_whose_policy_is_human() -> None:
    town = TownConfig("tiny")
    assert find_players(town, "scripted", {}) == ()
    assert find_players(town, "scripted", {"ben": "human"}) == ("Ben Carver",)
    assert find_players(town, "human", {"ben": "idle"}) == ("Ada Brook",)
    with pytest.raises(ConfigError, match="Nobody"):
        find_players(town, "scripted", {"Nobody": "human"})
