"""A run goes on with the models it was begun with, or not at all; what each was paid is kept."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint, Message
from genagents_env.llm.open import ModelOptions, open_endpoint
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint, ScriptedReplies
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.memory.embed import HashedSource
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, interview, models, resume, run
from genagents_env.run.session import RunSession
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.rates import compute_rates
from genagents_env.study.judge import judge_run
from genagents_env.testing.fault_server import FaultServer
from tests.record.lived import call, make_meta
from tests.run.asked import write_run
from tests.run.towns import FOUR, WITNESS, Killed, failing_from, make_options, make_spec, run_town

GATHERER = str(Path(__file__).with_name("gatherer.py"))
ASKED = RunOptions(model="scripted:neighbour", embedder="hashed", checkpoint_every=10)
TALK = make_spec("valentines_party", 3, people=FOUR[:2], policy=PolicySpec("smallville"))


def test_a_run_file_that_names_no_model_or_embedder_does_not_go_on_with_the_default(
    path: Path, default: ScriptedEndpoint
) -> None:
    town = make_spec("valentines_party", 5, people=FOUR, policy=PolicySpec(WITNESS))
    run(town, path, make_options())
    forget_models(path)
    with pytest.raises(ConfigError, match=r"its file names none.*name it by --model"):
        resume(path, RunOptions(trust_policies=True), hours=1)
    with pytest.raises(ConfigError, match="name it by --model"):
        interview(path, FOUR[:1], ["What now?"], options=RunOptions(trust_policies=True))
    assert default.requests == []
    town = make_spec("valentines_party", 5, people=FOUR, policy=PolicySpec(GATHERER))
    run(town, path, make_options(source=HashedSource()), force=True)
    forget_models(path)
    with pytest.raises(ConfigError, match=r"its file names none.*name it by --embedder"):
        resume(path, make_options(), hours=1)


@pytest.fixture
def default(monkeypatch: pytest.MonkeyPatch) -> ScriptedEndpoint:
    """Return the model that is the default while the test lasts; it keeps what it was asked."""
    default = ScriptedEndpoint(model="default")

    def choose_endpoint(
        model: str | None, options: ModelOptions, *, replies: Iterable[ScriptedReplies]
    ) -> Endpoint:
        return default if model is None else open_endpoint(model, options, replies=replies)

    monkeypatch.setattr(models, "open_endpoint", choose_endpoint)
    return default


def forget_models(path: Path) -> None:
    """Make the file as one that names neither model nor embedder."""
    with RunWriter.open(path) as writer:
        nameless = replace(writer.meta, model=None, asked_model=None, price=None)
        writer.replace_meta(replace(nameless, embedder=None, asked_embedder=None))


def test_a_run_killed_at_creation_resumes_with_the_models_asked_for(
    path: Path, monkeypatch: pytest.MonkeyPatch, default: ScriptedEndpoint
) -> None:
    killed = path.with_name("killed.sqlite")

    def copy_and_stop(session: RunSession, state: object) -> None:
        for file in path.parent.glob("run.sqlite*"):
            shutil.copy(file, killed.with_name(file.name.replace("run", "killed")))
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(RunSession, "execute", copy_and_stop)
        with pytest.raises(Killed):
            run(TALK, path, ASKED)
    with RunReader(killed) as record:
        assert (record.meta.model, record.meta.asked_model) == ("scripted:neighbour",) * 2
        assert record.meta.price == ("0", "0")
        assert (record.meta.embedder, record.meta.asked_embedder) == ("hashed-256", "hashed")
    assert resume(killed).status == "finished"
    assert default.requests == []
    assert run(TALK, path, ASKED).status == "finished"
    assert canonical_hash(killed) == canonical_hash(path)


def test_a_run_is_not_judged_by_another_model_than_its_own_unasked(
    path: Path, default: ScriptedEndpoint
) -> None:
    write_run(path)
    with RunWriter.open(path) as writer:
        writer.replace_meta(replace(writer.meta, model="of my own", price=None, asked_model=None))
    with pytest.raises(ConfigError, match="model 'of my own', but this would be"):
        judge_run(path)
    assert judge_run(path, make_options(ScriptedEndpoint())).judge == "scripted"
    assert default.requests == []


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


DEAR, CHEAP = Price(Decimal(10), Decimal(20)), Price(Decimal(1), Decimal(1))
HOUR = 10 / 360


@pytest.fixture
def spent(tmp_path: Path) -> Path:
    """Return a finished run of ten ticks by a dear model."""
    path = tmp_path / "run.sqlite"
    dear = ScriptedEndpoint(model="dear", price=DEAR)
    assert run_town(path, 10, endpoint=dear).status == "finished"
    return path


def test_what_a_model_cost_stays_when_another_takes_over(spent: Path) -> None:
    with RunReader(spent) as run:
        (before,) = run.sum_models()
    cheap = make_options(ScriptedEndpoint(model="cheap", price=CHEAP), model="cheap")
    assert resume(spent, cheap, hours=HOUR).status == "finished"
    with RunReader(spent) as run:
        dear, other = run.sum_models()
        lines, told = "\n".join(describe_run(run)), run_as_json(run)
        whole, rates = run.sum_calls(), compute_rates(run)
    assert before.dollars
    assert replace(dear, last=before.last) == before
    assert other.dollars == CHEAP.cost(other.prompt_tokens, other.completion_tokens)
    assert rates.model == "dear and cheap"
    assert whole.dollars == before.dollars + other.dollars
    assert f"Model dear: {dear.calls} calls in ticks" in lines
    assert f"Model cheap: {other.calls} calls in ticks" in lines
    assert [one["model"] for one in told["models"]] == ["dear", "cheap"]


def test_a_model_is_charged_at_one_price_to_the_end_of_a_run(spent: Path) -> None:
    options = make_options(ScriptedEndpoint(model="dear", price=CHEAP))
    how = replace(options.model_options, price=CHEAP)
    with pytest.raises(ConfigError, match="charged at another price, to its end"):
        resume(spent, replace(options, model_options=how), hours=HOUR)


CONTEXT = 1600
SPEC = make_spec(
    "valentines_party", 6, people=FOUR[:1], policy=PolicySpec("smallville", {"retrieval": False})
)
OPTIONS = RunOptions(embedder="hashed", preflight=False, checkpoint_every=2)


def list_lengths(path: Path) -> list[int]:
    with RunReader(path) as reader:
        messages = [json.loads(row.messages) for row in reader.calls()]
    return [
        bound_prompt_tokens([Message(one["role"], one["content"]) for one in each])
        for each in messages
    ]


def test_prompts_follow_a_short_context_and_a_resumed_run_keeps_their_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.sqlite"
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        server.models = {"town-model": {"max_model_len": CONTEXT}}
        run(SPEC, path, OPTIONS)
        with RunReader(path) as reader:
            assert reader.meta.contexts == {"town-model": CONTEXT}
        assert max(list_lengths(path)) <= CONTEXT - 1000
        before = canonical_hash(path)
        server.models = {"town-model": {"max_model_len": 32_768}}
        resume(path, OPTIONS, hours=0.02)
    assert max(list_lengths(path)) <= CONTEXT - 1000
    assert canonical_hash(path) != before
