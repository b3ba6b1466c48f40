"""What a stranger wrote into a run file, checksums and all, is refused by name."""

from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.record.event_data import read_event
from tests.campaigns import forged_files


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("seed", '"7"'),
        ("seed", "1" + "0" * 400),
        ("seed", "true"),
        ("names", '["Ada Brook", "Ada Brook"]'),
        ("names", '["../x", "/etc"]'),
        ("clock", '{"start": "9999-12-31T23:59:59", "seconds_per_tick": 10}'),
        ("clock", '{"start": "2023-02-13T08:00:00", "seconds_per_tick": 0}'),
        ("clock", '{"start": "2023-02-13T08:00:00+01:00", "seconds_per_tick": 10}'),
        ("price", '["Ada"]'),
        ("price", '["NaN", "1"]'),
        ("price", '["-1", "1"]'),
        ("spent", '{"calls": -1, "tokens": 0, "dollars": "0", "seconds": 0}'),
        ("spent", '{"calls": 1, "tokens": 0, "dollars": "NaN", "seconds": 0}'),
        ("limits", "[]"),
        ("limits", '{"calls": -1}'),
        ("limits", '{"dollars": "NaN"}'),
        ("limits", '{"changes": [{"kind": "calls", "before": 5, "now": null, "tick": 0}]}'),
        ("judged", '{"begun": null, "done": null, "limits": {}}'),
        ("arguments", '{"hours": 1e300}'),
        ("arguments", '{"render_mode": "human"}'),
        ("policies", '{"Ada Brook": 1e300, "Ben Carver": "x"}'),
        ("versions", '"/proc/self/environ"'),
        ("model", '{"name": 7, "asked": null}'),
        ("interviews", '"yes"'),
        ("names", "[" * 100_000),
    ],
)
def test_a_forged_head_is_refused_and_the_key_is_named(
    path: Path, meta: RunMeta, key: str, text: str
) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.note(key, text)
    with pytest.raises(RecordError, match=f"run.sqlite is damaged or not a run file .*{key}"):
        RunReader(path)


@pytest.mark.parametrize(
    ("kind", "agent", "text"),
    [
        ("doing", "Ada Brook", '{"name": 1}'),
        ("doing", "Ada Brook", "[]"),
        ("doing", None, '{"doing": "x", "emoji": ""}'),
        ("start", "Ada Brook", '{"tile": [1e300, 0]}'),
        ("learn", "Ada Brook", '{"fact": 1, "cause": "x", "source": null}'),
    ],
)
def test_a_forged_event_is_no_event(kind: str, agent: str | None, text: str) -> None:
    with pytest.raises(ValueError, match="event 3"):
        read_event(3, 1, kind, agent, text)


def test_an_event_of_a_kind_that_is_not_known_yet_is_read() -> None:
    assert read_event(3, 1, "dance", None, '{"steps": 4}').data == {"steps": 4}


@pytest.mark.slow
def test_forged_files_end_every_command_in_a_message_or_an_answer() -> None:
    assert forged_files.main(files=9, part=6) == 0
