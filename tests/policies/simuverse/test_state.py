"""What a mind carries survives JSON wherever it is, and no percept or word breaks it."""

import json
from collections.abc import Mapping

import pytest

from genagents_env.actions import Idle, Move, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.schemas import make_schema
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.percept import HeardWords
from genagents_env.policies.simuverse import SimuversePolicy
from genagents_env.policies.simuverse.grammar import SIGNALS
from genagents_env.policies.simuverse.interpret import InterpretedReply
from genagents_env.policies.simuverse.mind import TalkSession
from genagents_env.policy import Context
from genagents_env.rng import draw_index
from tests.policies.percepts import START, Moment, Value, body, infos, person, profile
from tests.policies.simuverse.test_replies import CORPUS
from tests.policies.simuverse.town import ANN

WORDS = [text for text, _ in CORPUS]
GIVEN: Mapping[str, Value] = {"goal": "See the park.", "phone": True}


def restless(request: CompletionRequest) -> str:
    """Answer with anything of the corpus; triples are now right and now wrong."""
    text: str = WORDS[draw_index(request.seed, len(WORDS), "text")]
    if request.schema is None:
        return text
    fields: Value = request.schema["properties"]
    if "answer" in fields:
        return json.dumps({"answer": text or "No.", "because": [1, 9]})
    return json.dumps({"triple": ["x", ["MOVE", "SCAN", "CALL", "ERROR"][len(text) % 4], text]})


def make_policy(who: Mapping[str, Value] = GIVEN, **config: Value) -> SimuversePolicy:
    policy = SimuversePolicy(**config)
    model = ModelClient(ScriptedEndpoint(restless), run_seed=3)
    ann = profile(relationships={"Bob Birch": "a friend"}, **who)
    context = Context("Town", START, 10, model, Embedder(HashedSource()))
    policy.reset({ann.agent: ann}, 3, context)
    return policy


NAMES = ("Bob Birch", "Cat Cole", "\u5f20\u4f1f", "Dr. O'Neil-Smith")


def test_what_is_carried_and_asked_stays_bounded() -> None:
    policy = make_policy(turn_seconds=10, memory_items=50, interpreter="regex")
    for tick in range(120):
        said = HeardWords("speech", NAMES[tick % 4], f"{tick} " * 90, True, True, (), tick)
        policy.act({ANN: {}}, infos(Moment(tick=tick, heard=(said,), me=body("Cafe"))))
    mind = policy.minds[ANN]
    assert (len(mind.history), len(mind.memory), len(mind.invitations)) == (20, 50, 4)
    asked: Value = policy.services.model.endpoint
    longest = max(bound_prompt_tokens(list(request.messages)) for request in asked.requests)
    assert longest <= policy.services.prompts.limit


def test_a_small_model_is_held_to_the_tools_and_shown_what_would_do() -> None:
    parts: Value = make_schema(InterpretedReply, small=True)["properties"]
    assert parts["triple"]["items"][1]["enum"] == [*SIGNALS[:5], "ERROR"]
    plain: Value = make_schema(InterpretedReply)["properties"]
    assert plain["triple"]["items"]["type"] == "string"
    policy = make_policy()
    policy.services.prompts.small = True
    policy.act({ANN: {}}, infos(Moment(me=body("Cafe"), people=(person("Bob Birch"),))))
    asked: Value = policy.services.model.endpoint
    shown = asked.requests[0].messages[1].content
    assert "such as: (CONVERSE) Bob Birch; (MOVE) Park" in shown
    assert "(SCAN)." in shown


@pytest.mark.parametrize("sleeps", [True, False])
def test_one_who_knows_no_night_gets_up_at_once(sleeps: bool) -> None:
    policy = make_policy(sleeps=sleeps, interpreter="regex", prompt_tokens=400)
    night = Moment(time=START.replace(hour=2), me=body("Ann's house/bedroom", asleep=True))
    step = policy.act({ANN: {}}, infos(night))[ANN]
    assert step == (Idle() if sleeps else Move("Ann's house/bedroom"))


def test_one_whose_partner_is_gone_at_once_is_told_so_and_chooses_anew() -> None:
    policy = make_policy(interpreter="regex")
    endpoint: Value = policy.services.model.endpoint
    replies = ["(CONVERSE) Bob Birch", "Hello Bob!", "(SCAN)"]
    endpoint.rule = lambda request: replies.pop(0)
    here = Moment(me=body("Cafe"), people=(person("Bob Birch"),))
    assert isinstance(policy.act({ANN: {}}, infos(here))[ANN], Talk)
    policy.act({ANN: {}}, infos(here.later(10, people=())))
    shown = endpoint.requests[-1].messages[1].content
    assert "Bob Birch heard you and was gone." in shown
    assert replies == []
    assert policy.minds[ANN].talk == TalkSession()
