"""Whatever is perceived, in any order and however unlikely, a mind goes on and keeps its state."""

import json
from collections.abc import Sequence

import pytest

from genagents_env.actions import Idle, Move, Talk
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.percept import Conversation, HeardWords, Result, SeenPerson
from genagents_env.policies.ai_town import AiTownPolicy, signs
from genagents_env.policy import Context
from genagents_env.rng import draw_index
from tests.policies.ai_town.square import answer_at_random
from tests.policies.percepts import START, Moment, Value, body, infos, profile

ME = "Ann Ash"
OTHERS = ("Bea Birch", "Cy Cole", "Dee Dunn", "")
TEXTS = (
    *(write(ME) for write in (signs.write_invitation, signs.write_acceptance)),
    *(write(ME) for write in (signs.write_refusal, signs.write_apology)),
    signs.write_invitation("Bea Birch"), "Hello Ann!", "", 'END>>> {"say": "x"}',
)  # fmt: skip
DOINGS = (
    *("reading", "", signs.STROLLING, f"{signs.WAITING} {ME}", f"{signs.TYPING} {ME}"),
    *(f"{signs.COMING} {ME}", f"{signs.TALKING} Cy Cole, looking at {ME}", "talking to nobody"),
)


class Dice:
    """Draws, each anew."""

    def __init__(self, seed: int) -> None:
        self.seed, self.count = seed, 0

    def pick(self, several: Sequence[Value]) -> Value:
        self.count += 1
        return several[draw_index(self.seed, len(several), "fuzz", self.count)]

    def some(self, several: Sequence[Value]) -> list[Value]:
        return [one for one in several if self.pick((True, False))]


def draw_percept(dice: Dice, tick: int) -> Moment:
    """Return a percept that need have nothing to do with the one before."""
    people = tuple(
        SeenPerson(
            name, dice.pick(("Cafe", "Park")), (dice.pick(range(9)), dice.pick(range(9))),
            dice.pick((0, 1, 3, 9)), dice.pick(DOINGS), "🙂", dice.pick((False, False, True)), 0,
        )
        for name in dice.some(OTHERS)
    )  # fmt: skip
    heard = tuple(
        HeardWords(
            dice.pick(("speech", "speech", "speech", "news", "thought", "notice")),
            dice.pick((*OTHERS, None)), dice.pick(TEXTS), dice.pick((True, False)),
            dice.pick((False, False, True)), (), tick,
        )
        for _ in dice.some(range(3))
    )  # fmt: skip
    members = dice.some(OTHERS[:3])
    talk = Conversation(tick, tuple([*members, ME]), None, dice.pick((True, False)), 3)
    result = dice.pick((Result(True, ""), Result(False, "no"), Result(True, "", arrived=True)))
    return Moment(
        me=body(asleep=dice.pick((False,) * 9 + (True,))),
        people=people,
        conversation=talk if members and dice.pick((True, False)) else None,
        known=dice.pick(((), ("Cafe", "Park"))),
        exits=dice.pick(((), ("Park",))),
    ).later(10 * tick, heard=heard, result=result)


@pytest.mark.parametrize("preset", ["2024", "2023"])
def test_a_thousand_percepts_never_raise(preset: str) -> None:
    config: Value = {"latency_ticks": {"converse": 1}, "reflect_at": 3, "wander": "near"}
    policy = AiTownPolicy(preset=preset, **config)
    dice = Dice(7)
    model = ModelClient(ScriptedEndpoint(answer_at_random), run_seed=3)
    context = Context("Town", START, 10, model, Embedder(HashedSource()))
    profiles = {ME: profile(relationships={"Bea Birch": "a friend"})}
    policy.reset(profiles, 3, context)
    done = set()
    for tick in range(500):
        (action,) = policy.act({ME: {}}, infos(draw_percept(dice, tick))).values()
        done.add(type(action))
        if tick % 50 == 0:
            state = policy.state()
            assert json.loads(json.dumps(state)) == state
            policy.load_state(state)
    assert done >= {Idle, Move, Talk}
    policy.close()
