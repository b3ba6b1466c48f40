"""What prompts are made of, from a run of two hand-made prompts with known counts."""

from pathlib import Path

import pytest

from genagents_env.llm.calls import CallKey, JSONValue, Message
from genagents_env.llm.cassette import RecordedReply
from genagents_env.llm.prompts import fence
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.record import NoteRow, RunReader, RunWriter
from genagents_env.study.evaluate.prompt_shares import find_section, measure_prompts
from tests.record.lived import live, make_meta

NAMES = ("Ada Brook", "Ben Carver")
LINES: list[JSONValue] = [
    ["you are at", "Cottage/kitchen"],
    ["Ben Carver", "Is there tea?"],
    ["Ada Brook", "There is."],
    ["#1", "Mon 13 Feb 08:10", "there was tea"],
    ["#2", "Mon 13 Feb 08:20", "the tea was hot"],
]
LONG = [
    Message("system", "Say what comes next."),
    Message("user", f"You are Ada.\n\n{fence(LINES, 'a1b2')}\n\nWhat do you say?"),
]
SHORT = [Message("user", "Hello")]


def prompt(
    writer: RunWriter, purpose: str, messages: list[Message], read: int, attempts: int = 1
) -> None:
    """Store a call of Ada at this tick, whose prompt had `read` tokens."""
    key = CallKey("Ada Brook", writer.tick, purpose, 0)
    reply = RecordedReply("hash", "reply", "{}", read, 5, attempts, 0, messages=tuple(messages))
    writer.cassette.put(key, reply)


def cut(tick: int, purpose: str, text: str) -> NoteRow:
    return NoteRow(tick, tick - 1, "Ada Brook", purpose, 0, "cut", text)


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "run.sqlite"
    with RunWriter.create(path, make_meta()) as writer:
        live(writer, 0)
        prompt(writer, "talk.speak", LONG, 100)
        writer.commit_interviews([], notes=[cut(0, "talk.speak", '{"talk": 3, "plan": 1}')])
        live(writer, 1)
        prompt(writer, "talk.speak", SHORT, 20)
        prompt(writer, "plan.day", SHORT, 900, attempts=2)
        writer.commit_interviews([], notes=[cut(1, "plan.day", '{"plan": 4}')])
        writer.set_status("finished")
    return path


def test_the_prompts_of_a_purpose_are_told_by_tokens_sections_memories_and_cuts(
    run_file: Path,
) -> None:
    with RunReader(run_file) as run:
        day, talk, whole = measure_prompts([run])
    assert [one.purpose for one in (day, talk, whole)] == ["plan.day", "talk.speak", "all"]
    assert (day.mean_tokens, day.most_tokens, day.counted) == (None, 0, 0)  # asked a second time
    assert (talk.prompts, talk.mean_tokens, talk.most_tokens) == (2, 60.0, 100)
    assert talk.most_bound == bound_prompt_tokens(LONG)
    assert talk.mean_bound == (bound_prompt_tokens(LONG) + bound_prompt_tokens(SHORT)) / 2
    assert talk.memories == 1.0
    shares = dict(talk.shares)
    assert set(shares) == {"(system)", "(words)", "you are at", "(person)", "memories"}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["memories"] > shares["you are at"]
    line = '["you are at", "Cottage/kitchen"]'
    tokens = bound_tokens(line) / shares["you are at"]
    assert shares["(system)"] == pytest.approx(bound_tokens(LONG[0].content) / tokens)
    assert [(c.section, c.prompts, c.lines) for c in talk.cuts.sections] == [
        ("plan", 1, 1),
        ("talk", 1, 3),
    ]
    assert (whole.cuts.prompts, whole.cuts.cut) == (3, 2)
    assert [(c.section, c.prompts, c.lines) for c in whole.cuts.sections] == [
        ("plan", 2, 5),
        ("talk", 1, 3),
    ]


def test_several_runs_are_counted_together_and_none_without_a_call(
    run_file: Path, tmp_path: Path
) -> None:
    with RunReader(run_file) as one, RunReader(run_file) as other:
        *_, whole = measure_prompts([one, other])
    assert (whole.prompts, whole.cuts.prompts, whole.cuts.cut) == (6, 6, 4)
    with RunWriter.create(tmp_path / "silent.sqlite", make_meta()) as writer:
        live(writer, 1)
    with RunReader(tmp_path / "silent.sqlite") as run:
        assert measure_prompts([run]) == []


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ('["#12", "08:10", "tea"]', "memories"),
        ('["Ben Carver just said", "tea"]', "(person) just said"),
        ('["usually 08:30", "tea"]', "usually (time)"),
        ('{"speaker": "Ben Carver"}', "speaker"),
        ("[]", "(unnamed)"),
        ("plain words", "(unnamed)"),
    ],
)
def test_a_section_is_named_by_the_words_that_its_lines_begin_with(line: str, section: str) -> None:
    assert find_section(line, NAMES) == section
