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


@pytest.mark.parametrize(
    ("messages", "reply"),
    [*((words, "{}") for words in MESSAGES.values()), ("[]", "\ufeff{}"), ("[]", DEEP), (None, "")],
    ids=[*MESSAGES, "a mark", "a deep reply", "no call, and events without an emoji"],
)
def test_a_prompt_that_is_none_is_a_sentence_and_a_reply_that_is_no_object_has_no_fields(
    genagents: Run, tmp_path: Path, messages: str | None, reply: str
) -> None:
    write_run(tmp_path / "run.sqlite", messages, reply)
    for look in PROMPTS if reply == "{}" else LOOKS:
        code, out, err = genagents(*look)
        assert (code in (0, 1, 2), "Traceback" in err) == (True, False), err
        assert list(tmp_path.glob("genagents-crash-*")) == []
        told = " ".join((out + err).split())
        said = "the prompt of monitor.update #0 of 'Ada Brook' at tick 3 is no list"
        assert code == 0 or (reply == "{}" and said in told)
