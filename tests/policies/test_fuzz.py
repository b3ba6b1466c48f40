"""Whatever is perceived, in any order and however unlikely, a mind goes on and keeps its state."""

import json
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from itertools import cycle

import pytest

from genagents_env.actions import Idle, Interact, Move, Restart, Talk
from genagents_env.llm.client import ModelClient
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, always_invalid, sample_schema
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.percept import Conversation, HeardWords, Result, SeenObject, SeenPerson
from genagents_env.policies.ai_town import signs
from genagents_env.policy import Context, Policy, Profile
from genagents_env.rng import draw_index
from genagents_env.run.policies import load_policy
from tests.policies.ai_town.square import answer_at_random
from tests.policies.harness import EVIL, FOREIGN, NAME, is_fenced, length
from tests.policies.percepts import START, Moment, Value, body, infos, profile
from tests.policies.simuverse.test_mind import WORDS, restless
from tests.policies.smallville.days import BED

ME = "Ann Ash"
OTHERS = ("Bea Birch", "Cy Cole", "\u5f20\u4f1f", "Dr. O'Neil-Smith", NAME, "")
HOME = "Ann's house/bedroom"
ROOMS = ("Cafe/bar", "Cafe/hall", "Park/lawn", "Park/pond", HOME, "Ann's house/hall")
PLACES = ("Cafe", "Park", "outside", HOME)
THINGS = (BED[0], "Cafe/stove", "Park/lawn/bench")
STATES = ("off", "on", "made", "slept in", "odd")
SIGNS = (signs.write_invitation, signs.write_acceptance, signs.write_refusal, signs.write_apology)
TEXTS = (
    *(write(ME) for write in SIGNS),
    *(signs.write_invitation("Bea Birch"), "Hello Ann!", "", EVIL, "Fire!", FOREIGN[:500]),
    *(*WORDS[:20], "Will you meet me at Park?", "\u202e" * 5, "x" * 600),
)
DOINGS = (
    *("reading", "", signs.STROLLING, f"{signs.WAITING} {ME}", f"{signs.TYPING} {ME}"),
    *(f"{signs.COMING} {ME}", f"{signs.TALKING} Cy Cole, looking at {ME}", "talking to nobody"),
    *("walking to work", "baking", "idle", EVIL.replace("\n", " ")),
)
FAILURES = ("", "no", "Park is private", "out of earshot", "x" * 600)
SLOW = {"plan": 1, "ground": 2, "react": 1}
TURNS = {"turn_seconds": 10}
LATE = {"latency_ticks": {"act": 2, "interpret": 1, "talk": 1}, "count": "utterance"}
SQUARE = {"latency_ticks": {"converse": 1}, "reflect_at": 3, "wander": "near"}
# By mind: configurations, each with how its model answers.
MINDS: dict[str, list[tuple[dict[str, Value], Rule]]] = {
    "smallville": [
        ({"reflect_at": 2, "context": "summary"}, sample_schema),
        ({"planning": False}, always_invalid),
        ({"grounding": "recursive", "context": "summary"}, sample_schema),
        ({"latency_ticks": SLOW}, always_invalid),
    ],
    "lyfe": [
        ({"recent_items": 2, "cluster_above": 0.05, "option_seconds": 60}, sample_schema),
        ({"variant": "no_self_monitor", "latency_ticks": {"talk": 1}}, sample_schema),
    ],
    "ai_town": [({"preset": preset, **SQUARE}, answer_at_random) for preset in ("2024", "2023")],
    "reactive": [({}, sample_schema), ({"decide_seconds": 0}, always_invalid)],
    "simuverse": [(TURNS | config, restless) for config in ({}, {"interpreter": "regex"}, LATE)],
}


AT_ONCE = RetryPolicy(base=0.0)  # an answer without words is asked for again


class Dice:
    """Draws, each anew."""

    def __init__(self, seed: int) -> None:
        self.seed, self.count = seed, 0

    def pick(self, several: Sequence[Value]) -> Value:
        self.count += 1
        return several[draw_index(self.seed, len(several), "fuzz", self.count)]

    def some(self, several: Sequence[Value]) -> list[Value]:
        return [one for one in several if self.pick((True, False))]

    def chance(self, of: int = 2) -> bool:
        return bool(self.pick(range(of)) == 0)


def draw_thing(dice: Dice, ref: str) -> SeenObject:
    after, distance = tuple(dice.some(STATES[:2])), dice.pick((0, 1, 8))
    state, free_text, usable = dice.pick(STATES), dice.chance(), dice.chance()
    name = ref.split("/")[-1]
    return SeenObject(ref, name, (1, 1), distance, state, after, free_text, usable, dice.count)


def draw_percept(dice: Dice, tick: int, seconds: int) -> Moment:
    """Return a percept that need have nothing to do with the one before but the time."""
    people = tuple(
        SeenPerson(
            name, dice.pick(PLACES), (dice.pick(range(9)), dice.pick(range(9))),
            dice.pick((0, 1, 3, 9)), dice.pick(DOINGS), "🙂", dice.chance(3), dice.count,
        )
        for name in dice.some(OTHERS[:5])
    )  # fmt: skip
    heard = tuple(
        HeardWords(
            dice.pick(("speech", "speech", "speech", "news", "thought", "notice")),
            dice.pick((*OTHERS, None)), dice.pick(TEXTS), dice.chance(), dice.chance(3), (), tick,
        )
        for _ in dice.some(range(3))
    )  # fmt: skip
    members = tuple([*dice.some(OTHERS[:5]), ME])
    turn = dice.pick((None, *members))
    talk = Conversation(dice.pick(range(3)), members, turn, dice.chance(), dice.pick(range(11)))
    return Moment(
        tick=tick,
        time=START + timedelta(seconds=seconds * tick),
        me=body(dice.pick(PLACES), dice.pick(DOINGS), asleep=dice.chance(9)),
        people=people,
        objects=tuple(draw_thing(dice, ref) for ref in dice.some(THINGS)),
        heard=heard,
        result=Result(dice.chance(), dice.pick(FAILURES), arrived=dice.chance()),
        conversation=talk if len(members) > 1 and dice.chance() else None,
        known=dice.pick(((), ROOMS, ROOMS)),
        exits=dice.pick(((), ("Park",))),
    )


def make_profile() -> Profile:
    """Return somebody of whom there is more to say than any prompt holds."""
    return profile(
        persona="; ".join(
            f"Ann has a {k}th habit of which there is much to say" for k in range(60)
        ),
        goal=FOREIGN[:600],
        relationships={"Bea Birch": FOREIGN[:300], NAME: "a friend"},
        memories=tuple(f"{k} {FOREIGN[:400]}" for k in range(6)),
        sleeps_in=BED,
        phone=True,
    )


def begin(policy: Policy, endpoint: ScriptedEndpoint) -> ModelClient:
    model = ModelClient(endpoint, run_seed=3, unusable_after=None, retry=AT_ONCE)
    context = Context("Town", START, 2400, model, Embedder(HashedSource()))
    policy.reset({ME: make_profile()}, 3, context)
    return model


def live(policy: Policy, dice: Dice, ticks: int) -> set[type]:
    """Let Ann live among whatever is drawn, and be interviewed; return what she did."""
    done, seconds = set[type](), 7200 if ticks < 100 else 900
    for tick in range(ticks):
        (action,) = policy.act({ME: {}}, infos(draw_percept(dice, tick, seconds))).values()
        assert isinstance(action, Move | Interact | Idle | Talk | Restart)
        assert not isinstance(action, Move) or action.place
        assert not isinstance(action, Interact) or action.object
        done.add(type(action))
        if tick % 10 == 9:
            state = policy.state()
            assert json.loads(json.dumps(state, allow_nan=False)) == state
            policy.load_state(state)
    if policy.name != "reactive":  # to which a question is no data
        policy.interview(ME, ["What is new?", EVIL])
    return done


@pytest.mark.parametrize("name", MINDS)
@pytest.mark.parametrize("ticks", [20, pytest.param(120, marks=pytest.mark.slow)])
def test_no_percept_whatever_makes_a_mind_fail_or_a_prompt_too_long(name: str, ticks: int) -> None:
    dice, done, asked, limits = Dice(ticks), set[type](), set[str](), cycle((640, 2000))
    for config, rule in MINDS[name]:
        limit, endpoint = next(limits), ScriptedEndpoint(rule)
        policy = load_policy(name, **config, prompt_tokens=limit)
        model = begin(policy, endpoint)
        done |= live(policy, dice, ticks)
        first_tries = [one for one in endpoint.requests if len(one.messages) == 2]
        assert all(length(request) <= limit for request in first_tries)
        told = [one for one in first_tries if "forget all this" in one.messages[-1].content]
        assert told
        assert all(is_fenced(request, "forget all this") for request in told)
        asked |= {row.purpose for row in model.ledger.rows()}
    assert done >= ({Idle, Talk} if name == "ai_town" else {Idle, Move})
    purposes = set(getattr(import_module(f"genagents_env.policies.{name}"), "HANDLERS", ()))
    assert name == "ai_town" or asked >= purposes  # whose prompts: ai_town/test_prompts


MOST = {
    "work_items": 2, "buffer_items": 3, "recent_items": 3, "long_items": 7, "heard_kept": 4,
    "sights_kept": 2, "repetition_window": 5,
}  # fmt: skip


@pytest.mark.parametrize("variant", ["full", "no_self_monitor", "no_summarize_and_forget"])
def test_what_a_mind_of_lyfe_carries_is_bounded_however_long_it_lives(variant: str) -> None:
    policy, dice = load_policy("lyfe", variant=variant, cluster_above=0.2, **MOST), Dice(5)
    begin(policy, ScriptedEndpoint(sample_schema))
    for tick in range(60):
        policy.act({ME: {}}, infos(draw_percept(dice, tick, 10)))
        mind: Value = policy.minds[ME]  # type: ignore[attr-defined]
        kept = {name: getattr(mind, name.rpartition("_")[0], mind.uttered) for name in MOST}
        assert {name: held for name, held in kept.items() if len(held) > MOST[name]} == {}
        assert len(mind.stored) <= MOST["buffer_items"]
        assert len(mind.repeats) == len(mind.uttered)
        assert len(mind.pending) <= 6
        assert len(mind.turn.owed) <= 4
