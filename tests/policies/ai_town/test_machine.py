"""The state machine of talks, driven through thousands of random steps with random replies.

What must hold is computed from percepts, actions and the town's events alone, never from the
mind's own account of it, but for how long it has been in a stage.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.policies.ai_town import signs
from genagents_env.policies.ai_town.config import AiTownConfig
from genagents_env.policies.ai_town.mind import AiTownMind
from genagents_env.rng import draw_index
from tests.policies.ai_town.square import NAMES, TICK, Square, Step, answer_at_random, square
from tests.policies.percepts import Value

LONG_AGO = -(10**9)
INVITATIONS = {signs.write_invitation(name) for name in NAMES}
FORMS = INVITATIONS | {
    write(name)
    for name in NAMES
    for write in (signs.write_acceptance, signs.write_refusal, signs.write_apology)
}


def check_mind(mind: AiTownMind, step: Step, strangers: bool) -> str:
    """Check what a mind is in the midst of; return whether somebody else kept it from thinking.

    `strangers`: somebody is in town who speaks as they like, for as long as they like.
    """
    talk, config, now = mind.talk, mind.config, step.tick * TICK
    town = step.percepts[mind.name].conversation
    grouped = config.meet == "collision"
    if town is not None:  # nobody is in two conversations: the mind's is that of the town
        assert talk is not None
        assert {*(talk.others if grouped else [talk.other])} & {*town.members} or talk.leaving
        assert grouped or strangers or len(town.members) == 2
    if talk is None:
        return ""
    assert town is not None or grouped or talk.stage in ("inviting", "invited")
    if talk.stage != "talking":  # no invitation outlasts its time, nor a talk
        assert now - talk.begun <= config.walk_over_seconds
    elif not strangers:
        assert now - talk.started <= config.talk_seconds + 4 * config.awkward_seconds
        assert len(talk.lines) <= (100 if grouped else config.max_messages + 2)
    typing = f"{signs.TYPING} {mind.name}"
    seen = [one.doing for one in step.percepts[mind.name].people if one.name == talk.other]
    if grouped or typing not in seen:
        return ""
    # Nobody begins to think of words while the other does, unless for longer than the lock.
    if any(one.tick == step.tick and "converse" in one.purpose for one in mind.pending):
        assert talk.typing >= 0
        assert now - talk.typing >= config.typing_seconds
    return "locked"


def check_words(steps: list[Step], config: AiTownConfig) -> int:
    """Check that nobody goes on without an answer before the silence is awkward; count words."""
    last: dict[int, tuple[str, int]] = {}
    count = 0
    for step in steps:
        spoken = [event for event in step.events if event.kind == "say"]
        for event in sorted(spoken, key=lambda event: event.agent or ""):
            talk, now = event.data["conversation"], step.tick * TICK
            if event.data["text"] in FORMS:
                last.pop(talk, None)  # of an invitation, or words that only look like it
                continue
            count += 1
            speaker, at = last.get(talk, ("", LONG_AGO))
            if config.meet == "invite" and speaker == event.agent:
                assert now - at >= config.awkward_seconds, event
            last[talk] = (event.agent or "", now)
    return count


def meddle(names: tuple[str, ...], seed: int, tick: int) -> dict[str, Action]:
    """Return what a stranger does: speaks to anybody, in any words, walks, or leaves."""
    if not names:
        return {}
    name, kind = names[0], draw_index(seed, 8, "meddles", tick)
    other = NAMES[draw_index(seed, 4, "whom", tick)]
    choices: Mapping[int, Action] = {
        0: Talk(other, signs.write_invitation(other)),
        1: Talk(other, f"Hello {other}, what is new?"),
        2: Talk(None, signs.write_acceptance(other)),
        3: Talk(None, "I must go.", leave=True),
        4: Move("Square/hall"),
        5: Move(other),
        6: Talk(None, signs.write_refusal(other)),
    }
    return {name: choices.get(kind, Idle("standing"))}


PLANS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "size": st.integers(2, 6),
        "stranger": st.sampled_from([False, False, True]),
        "preset": st.sampled_from(["2024", "2024", "2023"]),
        "rules": st.fixed_dictionaries(
            {
                "members": st.sampled_from([2, 3, 4]),
                "turns": st.sampled_from(["free", "one_speaker", "round_robin"]),
                "cooldown": st.sampled_from([0, 0, 60, 600]),
                "exchanges": st.sampled_from([3, 10, 10, 100]),
                "idle": st.sampled_from([60, 300]),
                "hearing": st.sampled_from([3, 8]),
            }
        ),
        "config": st.fixed_dictionaries(
            {
                "wander": st.sampled_from(["near", "town"]),
                "accept_chance": st.sampled_from([0.2, 0.8, 1.0]),
                "latency_ticks": st.fixed_dictionaries(
                    {"converse": st.sampled_from([0, 1, 4]), "remember": st.sampled_from([0, 2])}
                ),
                "pair_seconds": st.sampled_from([0, 60, 120]),
                "reflect_at": st.sampled_from([5, 500]),
            }
        ),
    }
)


def live(plan: Mapping[str, Value], ticks: int) -> Counter[str]:
    """Let a town live so many ticks, looking on; return how often things came about."""
    minds, strangers = NAMES[: plan["size"] - plan["stranger"]], NAMES[: plan["size"]]
    strangers = strangers[len(minds) :]
    config = {"preset": plan["preset"], "activity_seconds": 20, **plan["config"]}
    with TemporaryDirectory() as folder:
        scenario = square(Path(folder), plan["size"], **plan["rules"])
    town = Square(scenario, answer_at_random, minds, plan["seed"], **config)
    steps, seen = list[Step](), Counter[str]()
    for tick in range(ticks):
        steps.append(town.step(meddle(strangers, plan["seed"], tick)))
        seen.update(check_mind(m, steps[-1], bool(strangers)) for m in town.policy.minds.values())
        done = [act.text for act in steps[-1].actions.values() if isinstance(act, Talk)]
        seen["invited"] += len(INVITATIONS.intersection(done))
    if not strangers:
        seen["words"] = check_words(steps, AiTownConfig(**config))
    return seen


@pytest.mark.parametrize(
    ("towns", "ticks"), [(8, 110), pytest.param(20, 220, marks=pytest.mark.slow)]
)
def test_talks_keep_their_rules_whatever_is_replied(towns: int, ticks: int) -> None:
    seen = Counter[str]()

    @settings(
        max_examples=towns,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(PLANS)
    def check(plan: Mapping[str, Value]) -> None:
        seen.update(live(plan, ticks))

    check()
    assert seen["invited"] > 20
    assert seen["words"] > 50
    assert ticks < 200 or seen["locked"] > 20
