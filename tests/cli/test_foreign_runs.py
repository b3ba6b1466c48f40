"""Run files that another program wrote: what they lack is done without, what is none is named."""

import json
from pathlib import Path

import pytest

from genagents_env.record import RunWriter
from genagents_env.record.calls import put_call
from genagents_env.record.rows import CallRow
from tests.cli.conftest import Run
from tests.record.lived import live, make_meta

LOOKS = (
    ("show", "run.sqlite"),
    ("show", "run.sqlite", "--story"),
    ("report", "run.sqlite"),
    ("export", "run.sqlite", "--out", "out.html"),
)
PROMPTS = (*LOOKS, ("prompts", "run.sqlite"), ("export", "run.sqlite", "--out", "out"))
DEEP = "[" * 100_000
MESSAGES = {
    "deep": DEEP,
    "a deep line": json.dumps([{"role": "user", "content": f"<data>\n{DEEP}\n</data>"}]),
    "no text": '[{"role": "user", "content": 7}]',
    "no list": "7",
    "no message": '["user"]',
}


def write_run(path: Path, messages: str | None = None, reply: str = "{}") -> None:
    """Write a run of an hour, whose events have no emoji, with one model call."""
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 60)
        if messages is not None:
            agent, purpose = writer.meta.names[0], "monitor.update"
            row = CallRow(
                agent, 3, purpose, 0, "", messages, "reply", reply, 0, 0, 1, 0, 0, None, 0.0, 0.0
            )
            put_call(writer._connection, row)
        writer.set_status("finished")


def check(ended: tuple[int, str, str]) -> tuple[int, str]:
    """Check that a command ended in an answer or a sentence; return its code and all it said."""
    code, out, err = ended
    assert code in (0, 1, 2), err
    assert "Traceback" not in err
    assert list(Path.cwd().glob("genagents-crash-*")) == []
    return code, " ".join((out + err).split())


def test_events_without_an_emoji_are_shown(genagents: Run, tmp_path: Path) -> None:
    write_run(tmp_path / "run.sqlite")
    for look in LOOKS:
        assert check(genagents(*look))[0] == 0


@pytest.mark.parametrize("messages", MESSAGES)
def test_a_prompt_that_is_none_is_a_sentence(genagents: Run, tmp_path: Path, messages: str) -> None:
    write_run(tmp_path / "run.sqlite", MESSAGES[messages])
    for look in PROMPTS:
        code, told = check(genagents(*look))
        if code:
            assert "the prompt of monitor.update #0 of 'Ada Brook' at tick 3 is no list" in told


@pytest.mark.parametrize("reply", ["[]", "\ufeff{}", DEEP])
def test_a_reply_that_is_no_object_has_no_fields(
    genagents: Run, tmp_path: Path, reply: str
) -> None:
    write_run(tmp_path / "run.sqlite", "[]", reply)
    for look in LOOKS:
        assert check(genagents(*look))[0] == 0
