from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.study.evaluate.labels import format_policies, format_policy
from genagents_env.study.evaluate.measures.lengths import compute_spans
from tests.study.report.planted import (
    ADA,
    BEN,
    LYFE,
    make_join,
    make_leave,
    make_utterance,
    meta,
    plant,
)


def test_lengths_are_from_joining_to_leaving_by_policy(tmp_path: Path) -> None:
    path = plant(
        tmp_path / "run.sqlite",
        50,
        (
            *(make_leave(1, ADA), make_join(2, ADA), make_join(2, BEN)),  # in none, at first
            *(make_utterance(2, ADA), make_utterance(3, BEN), make_leave(5, BEN)),
            make_leave(8, ADA, reason="walked_away"),
            make_utterance(9, ADA, conversation=None),
            *(make_join(10, BEN, 1), make_join(12, ADA, 1), make_leave(12, ADA, 1)),
            *(make_join(20, ADA, 1), make_utterance(21, BEN, conversation=1)),
        ),
        policies={ADA: LYFE, BEN: {"name": "idle", "config": {}}},
    )
    with RunReader(path) as run:
        found = compute_spans(run)
    idle, lyfe = found.lengths
    assert (idle.policy, idle.seconds, idle.censored) == ("idle", (30.0,), 1)
    assert (idle.mean_seconds, idle.sem_seconds, idle.count) == (30.0, None, 1)
    assert (lyfe.policy, lyfe.seconds) == ("lyfe option_action=false", (60.0, 0.0))
    assert (lyfe.mean_seconds, lyfe.censored) == (30.0, 1)
    assert lyfe.sem_seconds == pytest.approx(30.0)
    assert (found.conversations, found.utterances) == (2, 3)
    assert found.utterances_per_conversation == 1.5
    assert found.as_json()["lengths"][0]["mean_seconds"] == 30.0


def test_a_run_without_conversations_has_no_mean(tmp_path: Path) -> None:
    with RunReader(plant(tmp_path / "run.sqlite", 3)) as run:
        found = compute_spans(run)
    (only,) = found.lengths
    assert (only.count, only.mean_seconds, only.sem_seconds, only.censored) == (0, None, None, 0)
    assert found.utterances_per_conversation is None


def test_labels_name_the_options_and_count_mixed_policies() -> None:
    spec = {"name": "/home/me/own.py", "config": {"b": "x", "a": {"k": 1}}}
    assert format_policy(spec) == 'own.py a={"k":1} b=x'
    assert format_policies(meta()) == "lyfe option_action=false"
    mixed = meta({ADA: LYFE, BEN: {"name": "idle", "config": {}}})
    assert format_policies(mixed) == "1 idle, 1 lyfe option_action=false"
