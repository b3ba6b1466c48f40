"""A run goes on with the model it was begun with, or not at all."""

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.open import ModelOptions, open_endpoint
from genagents_env.llm.scripted import ScriptedEndpoint, ScriptedReplies
from genagents_env.memory.embed import HashedSource
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, interview, models, resume, run
from genagents_env.run.session import RunSession
from genagents_env.study.judge import judge_run
from tests.run.asked import write_run
from tests.run.towns import FOUR, WITNESS, Killed, make_options, make_spec

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
