from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, RunWriter
from genagents_env.run import RunOptions, resume, run
from tests.record.lived import call, make_meta
from tests.run.towns import failing_from, make_options, make_spec

BEN = {"Ben Carver": "bens"}


def use(monkeypatch: pytest.MonkeyPatch, opened: ScriptedEndpoint) -> None:
    """Have every model by name be `opened`."""
    monkeypatch.setattr("genagents_env.run.models.open_endpoint", lambda *_, **__: opened)


def options(**changes: object) -> RunOptions:
    return make_options(ScriptedEndpoint(), model_for=BEN, **changes)


def test_a_persons_model_that_goes_down_pauses_the_run_and_is_asked_by_the_resumed_one(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    use(monkeypatch, ScriptedEndpoint(failing_from(2), model="bens"))
    result = run(make_spec(), path, options())
    assert (result.status, result.exit_code) == ("paused", 75)
    with RunReader(path) as record:
        assert record.sum_calls().fallbacks == 0  # what others answered since rests on none
        assert record.meta.model_for == BEN
    use(monkeypatch, ScriptedEndpoint(model="bens"))
    assert resume(path, make_options(ScriptedEndpoint())).status == "finished"
    with RunReader(path) as record:
        assert record.sum_calls().fallbacks == 0
        models = {(call.agent == "Ben Carver", call.model) for call in record.calls()}
    assert models == {(True, "bens"), (False, "scripted")}


def test_later_replies_of_others_are_withdrawn_with_a_fallback(path: Path) -> None:
    calls = (("Cy", "reply"), ("Ben", "fallback"), ("Ada", "reply"))
    with RunWriter.create(path, replace(make_meta(), model_for=BEN)) as writer:
        for at, (agent, outcome) in enumerate(calls):
            key, recorded = call(3, agent, outcome)
            writer.cassette.put(key, replace(recorded, started_at=float(at)))
        writer.withdraw_outage(3)
        assert writer.cassette.get(call(3, "Cy")[0]) is not None
        assert writer.cassette.get(call(3, "Ben")[0]) is None
        assert writer.cassette.get(call(3, "Ada")[0]) is None


def test_a_resumed_run_refuses_another_model_in_a_persons_place(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    use(monkeypatch, ScriptedEndpoint(model="bens"))
    assert run(make_spec(), path, options()).exit_code == 0
    use(monkeypatch, ScriptedEndpoint(model="another"))
    with pytest.raises(ConfigError, match=r"'bens' for 'Ben Carver'.*--model Ben Carver=MODEL"):
        resume(path, make_options(ScriptedEndpoint()), hours=0.1)
