"""The state machine of talks, driven through thousands of random steps with random replies.

What must hold is computed from percepts, actions and the town's events alone, never from the
mind's own account of it, but for how long it has been in a stage.
"""

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


class Watch:
    """Looks on, and complains of whatever may not be.

    Args:
        config: of the minds.
        strangers: whether somebody else is in town who speaks as they like.
    """

    def __init__(self, config: AiTownConfig, *, strangers: bool) -> None:
        self.config, self.strangers = config, strangers
        self.invitations = self.words = self.locks = 0

    def check(self, town: Square, step: Step) -> None:
        """Check a step."""
        now = step.tick * TICK
        for name in town.names:
            mind, action = town.policy.minds[name], step.actions[name]
            self._check_one_talk(mind, step)
            self._check_stage(mind, now)
            self._check_lock(mind, step, now)
            self.invitations += isinstance(action, Talk) and action.text in INVITATIONS
        self._check_crowds(step)

    def _check_one_talk(self, mind: AiTownMind, step: Step) -> None:
        """Nobody is in two conversations: the mind's is the one that the town says it is in."""
        town = step.percepts[mind.name].conversation
        if town is None:
            alone = mind.talk is None or mind.config.meet == "collision"
            assert alone or (mind.talk is not None and mind.talk.stage in ("inviting", "invited"))
            return
        assert mind.talk is not None
        some = mind.talk.others if mind.config.meet == "collision" else [mind.talk.other]
        assert set(some) & set(town.members) or mind.talk.leaving

    def _check_stage(self, mind: AiTownMind, now: int) -> None:
        """No invitation outlasts its time, nor a talk."""
        if mind.talk is None:
            return
        if mind.talk.stage != "talking":
            assert now - mind.talk.begun <= self.config.walk_over_seconds
        elif not self.strangers:
            slack = 4 * self.config.awkward_seconds
            assert now - mind.talk.started <= self.config.talk_seconds + slack
            most = self.config.max_messages + 2 if self.config.meet == "invite" else 100
            assert len(mind.talk.lines) <= most

    def _check_lock(self, mind: AiTownMind, step: Step, now: int) -> None:
        """Nobody begins to think of words while the other does, unless for longer than the lock."""
        if mind.talk is None or mind.config.meet == "collision":
            return
        typing = [
            seen.name
            for seen in step.percepts[mind.name].people
            if seen.doing == f"{signs.TYPING} {mind.name}" and seen.name == mind.talk.other
        ]
        began = [one for one in mind.pending if one.tick == step.tick and "converse" in one.purpose]
        self.locks += bool(typing)
        if typing and began:
            assert mind.talk.typing >= 0
            assert now - mind.talk.typing >= self.config.typing_seconds

    def _check_crowds(self, step: Step) -> None:
        """Two are in a talk, never three."""
        if self.strangers or self.config.meet == "collision":
            return
        towns = (percept.conversation for percept in step.percepts.values())
        assert all(len(town.members) == 2 for town in towns if town is not None)


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


def drive(folder: Path, plan: Mapping[str, Value], ticks: int) -> Watch:
    """Let a town live so many ticks, looking on; return the watch."""
    scenario = square(folder, plan["size"], **plan["rules"])
    minds = NAMES[: plan["size"] - plan["stranger"]]
    strangers = NAMES[len(minds) : plan["size"]]
    config = {"preset": plan["preset"], "activity_seconds": 20, **plan["config"]}
    town = Square(scenario, answer_at_random, minds, plan["seed"], **config)
    watch = Watch(AiTownConfig(**config), strangers=bool(strangers))
    steps = []
    for tick in range(ticks):
        steps.append(town.step(meddle(strangers, plan["seed"], tick)))
        watch.check(town, steps[-1])
    if not strangers:
        watch.words = check_words(steps, watch.config)
    return watch


def check_plans(count: int, ticks: int) -> list[Watch]:
    watches = []

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(PLANS)
    def check(plan: Mapping[str, Value]) -> None:
        with TemporaryDirectory() as folder:
            watches.append(drive(Path(folder), plan, ticks))

    check()
    return watches


def test_talks_keep_their_rules_whatever_is_replied() -> None:
    watches = check_plans(8, 110)
    assert sum(watch.invitations for watch in watches) > 20
    assert sum(watch.words for watch in watches) > 50


@pytest.mark.slow
def test_talks_keep_their_rules_over_thousands_of_steps() -> None:
    watches = check_plans(20, 220)
    assert sum(watch.invitations for watch in watches) > 100
    assert sum(watch.words for watch in watches) > 250
    assert sum(watch.locks for watch in watches) > 20
