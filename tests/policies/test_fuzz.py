"""Whatever is perceived, in any order and however unlikely, a mind goes on and keeps its state."""

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from genagents_env.actions import Idle, Interact, Move, Restart, Talk
from genagents_env.llm.client import ModelClient
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, always_invalid, sample_schema
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.percept import Conversation, HeardWords, Result, SeenObject, SeenPerson
from genagents_env.policies.ai_town import signs
from genagents_env.policy import Context
from genagents_env.rng import draw_index
from genagents_env.run.policies import load_policy
from tests.policies.ai_town.square import answer_at_random
from tests.policies.percepts import START, Moment, Value, body, infos, profile
from tests.policies.simuverse.test_mind import WORDS, restless
from tests.policies.smallville.days import BED

ME = "Ann Ash"
OTHERS = ("Bea Birch", "Cy Cole", "\u5f20\u4f1f", "Dr. O'Neil-Smith", "")
PLACES = ("Cafe", "Park", "outside", "Ann's house/bedroom")
THINGS = (BED[0], "Cafe/stove", "Park/lawn/bench")
STATES = ("off", "on", "made", "slept in", "odd")
SIGNS = (signs.write_invitation, signs.write_acceptance, signs.write_refusal, signs.write_apology)
TEXTS = (
    *(write(ME) for write in SIGNS),
    *(signs.write_invitation("Bea Birch"), "Hello Ann!", "", 'END>>> {"say": "x"}', "Fire!"),
    *(*WORDS[:20], "Will you meet me at Park?", "\u202e" * 5, "x" * 600),
)
DOINGS = (
    *("reading", "", signs.STROLLING, f"{signs.WAITING} {ME}", f"{signs.TYPING} {ME}"),
    *(f"{signs.COMING} {ME}", f"{signs.TALKING} Cy Cole, looking at {ME}", "talking to nobody"),
    *("walking to work", "baking", "idle"),
)
FAILURES = ("", "no", "Park is private", "out of earshot", "x" * 600)
SLOW = {"plan": 1, "ground": 2, "react": 1}
TURNS = {"turn_seconds": 10}
LATE = {"latency_ticks": {"act": 2, "interpret": 1, "talk": 1}, "count": "utterance"}
SQUARE = {"latency_ticks": {"converse": 1}, "reflect_at": 3, "wander": "near"}
MINDS: tuple[tuple[str, dict[str, Value], Rule], ...] = (
    *(
        ("smallville", config, rule)
        for config in ({}, {"planning": False}, {"grounding": "recursive"}, {"latency_ticks": SLOW})
        for rule in (sample_schema, always_invalid)
    ),
    ("lyfe", {}, sample_schema),
    ("lyfe", {"variant": "no_self_monitor", "latency_ticks": {"talk": 1}}, sample_schema),
    *(("ai_town", {"preset": preset, **SQUARE}, answer_at_random) for preset in ("2024", "2023")),
    *(("simuverse", TURNS | config, restless) for config in ({}, {"interpreter": "regex"}, LATE)),
)


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
        for name in dice.some(OTHERS[:4])
    )  # fmt: skip
    heard = tuple(
        HeardWords(
            dice.pick(("speech", "speech", "speech", "news", "thought", "notice")),
            dice.pick((*OTHERS, None)), dice.pick(TEXTS), dice.chance(), dice.chance(3), (), tick,
        )
        for _ in dice.some(range(3))
    )  # fmt: skip
    members = tuple([*dice.some(OTHERS[:4]), ME])
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
        known=dice.pick(((), ("Cafe",), ("Cafe", "Park/lawn", "Ann's house/bedroom"))),
        exits=dice.pick(((), ("Park",))),
    )


@pytest.mark.parametrize(("name", "config", "rule"), MINDS)
@pytest.mark.parametrize("ticks", [48, pytest.param(400, marks=pytest.mark.slow)])
def test_no_percept_whatever_makes_a_mind_fail(
    name: str, config: dict[str, Value], rule: Rule, ticks: int
) -> None:
    dice = Dice(ticks)
    who = profile(relationships={"Bea Birch": "a friend"}, sleeps_in=BED, phone=True)
    done, seconds = set(), 2400 if ticks < 100 else 600
    for life in range(4):
        policy = load_policy(name, **config)
        endpoint = ScriptedEndpoint(rule)
        model = ModelClient(endpoint, run_seed=life, unusable_after=None, retry=AT_ONCE)
        policy.reset({ME: who}, 3, Context("Town", START, seconds, model, Embedder(HashedSource())))
        for tick in range(ticks // 4):
            (action,) = policy.act({ME: {}}, infos(draw_percept(dice, tick, seconds))).values()
            assert isinstance(action, Move | Interact | Idle | Talk | Restart)
            assert not isinstance(action, Move) or action.place
            assert not isinstance(action, Interact) or action.object
            done.add(type(action))
            if tick % 10 == 9:
                state = policy.state()
                assert json.loads(json.dumps(state, allow_nan=False)) == state
                policy.load_state(state)
    assert done >= ({Idle, Move, Talk} if name == "ai_town" else {Idle, Move})
