"""Options; and that an ablation differs from the whole mind in its faculty and in no other."""

import json
from collections.abc import Mapping

import pytest

from genagents_env.errors import PolicyError
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.policies import smallville
from genagents_env.policies.smallville import SmallvillePolicy
from genagents_env.policies.smallville.config import SmallvilleConfig
from genagents_env.policy import Context
from genagents_env.run.policies import load_policy
from tests.policies.percepts import START, Value, infos, profile
from tests.policies.smallville.test_prompts import CONFIG, hard_day

ASKING = ("perceive", "summary", "plan", "ground", "react", "converse", "reflect")
OFF = {name for name, value in SmallvilleConfig() if value is False}


@pytest.mark.parametrize(
    "variant",
    [
        "full",
        "no_reflection",
        "no_reflection_no_planning",
        "no_observation_no_reflection_no_planning",
    ],
)
def test_a_variant_of_the_paper_switches_its_faculties_off_and_no_other(variant: str) -> None:
    config = SmallvilleConfig(**{"variant": variant})
    off = [name for name in variant.removeprefix("no_").split("_no_") if name != "full"]
    assert config == SmallvilleConfig(**{"variant": variant, **dict.fromkeys(off, False)})
    assert {name for name, value in config if value is False} == set(off) | OFF


def test_a_mind_without_a_model_or_an_embedder_is_refused() -> None:
    ann = {"Ann Ash": profile()}
    policy = load_policy("smallville")
    model = ModelClient(ScriptedEndpoint(), run_seed=0)
    with pytest.raises(PolicyError, match="language model"):
        policy.reset(ann, 0, Context("Town", START, 10))
    with pytest.raises(PolicyError, match="embedder"):
        policy.reset(ann, 0, Context("Town", START, 10, model=model))
    latest_only = load_policy("smallville", retrieval=False)
    latest_only.reset(ann, 0, Context("Town", START, 10, model=model))


# Ablations.


# Which calls are whose. Places are looked for on behalf of a plan (`ground.pieces`, `ground.sector`
# and so on) or of a reaction (`ground.one`); `plan.revise` is planning, though what is seen or said
# makes it so. Retrieving asks the embedder, not the model.
FACULTIES: Mapping[str, frozenset[str]] = {
    "observation": frozenset({"perceive.rate"}),
    "retrieval": frozenset(),
    "describe": frozenset({"summary.describe", "summary.status"}),
    "planning": frozenset(
        {"plan.day", "plan.renew", "plan.hours", "plan.pieces", "plan.revise", "ground.pieces"}
    ),
    "reaction": frozenset({"react.decide", "ground.one"}),
    "conversation": frozenset({"converse.relate", "converse.speak", "converse.memo"}),
    "reflection": frozenset({"reflect.questions", "reflect.insights"}),
}
RECURSIVE = frozenset({"ground.sector", "ground.arena", "ground.object"})
SUMMARIES = frozenset({"react.context", "converse.context"})  # only with context="summary"
EVERYTHING = frozenset().union(*FACULTIES.values())


def rule(request: CompletionRequest) -> str:
    """Answer by what is asked and by the seed of the call: who asks, what and when, not on words.

    Reactions are something else than was planned or a talk, and every talk changes the plan, so
    that whatever may follow from one of them does.
    """
    schema: Value = request.schema
    fields = schema["properties"]
    if "choice" in fields:
        talks = [one for one in fields["choice"]["enum"] if one.startswith("talk to ")]
        choice = talks[0] if talks and request.seed % 2 else "something else"
        return json.dumps({"choice": choice, "what": "opening a window", "minutes": 2})
    reply = json.loads(sample_schema(request))
    return json.dumps({key: value or key == "changes_plan" for key, value in reply.items()})


def purposes(**config: Value) -> frozenset[str]:
    """Return the purposes of the calls that a mind with this configuration makes in two days."""
    policy = SmallvillePolicy(**CONFIG, **config)
    model = ModelClient(ScriptedEndpoint(rule), run_seed=3)
    context = Context("Town", START, 10, model, Embedder(open_source("hashed")))
    policy.reset({"Ann Ash": profile()}, 3, context)
    for percept in hard_day("Bob Birch", "Hello, Ann."):
        policy.act({"Ann Ash": {}}, infos(percept))
    return frozenset(row.purpose for row in model.ledger.rows() if row.calls)


def test_every_purpose_belongs_to_one_faculty() -> None:
    assert frozenset(smallville.HANDLERS) == EVERYTHING | RECURSIVE | SUMMARIES
    assert sum(map(len, FACULTIES.values())) == len(EVERYTHING)


# What the queries of all purposes have in their data, for replies to depend on.


def test_the_whole_mind_does_everything_and_down_the_tree_the_same() -> None:
    assert purposes() == EVERYTHING
    down_the_tree = purposes(grounding="recursive")
    assert down_the_tree - RECURSIVE == EVERYTHING - {"ground.pieces", "ground.one"}
    assert down_the_tree & RECURSIVE


@pytest.mark.parametrize("faculty", FACULTIES)
def test_a_mind_without_a_faculty_lacks_its_calls_and_no_others(faculty: str) -> None:
    assert purposes(**{faculty: False}) == EVERYTHING - FACULTIES[faculty]
