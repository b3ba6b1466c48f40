"""Invitations, and what leads to them: hand-made percepts, one tick at a time."""

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.percept import Conversation, Result, SeenPerson
from genagents_env.policies.ai_town import act, perceive, pursue, signs
from genagents_env.policies.ai_town.mind import AiTownMind
from tests.policies.ai_town.minds import BEA, make_mind
from tests.policies.harness import moment
from tests.policies.percepts import Moment, Value, person, speech

CY = "Cy Cole"
ME = "Ann Ash"
ASK = signs.write_invitation


def live(mind: AiTownMind, percept: Moment) -> Action:
    """Return what a mind does at a percept, without a model."""
    now = moment(mind, percept)
    perceive.perceive(mind, now)
    pursue.advance(mind, now)
    return act.choose_action(mind, now)


def stroll(**config: Value) -> AiTownMind:
    mind = make_mind(**config)
    mind.pursuit.heading, mind.pursuit.since = "Park", 0
    return mind


def with_people(*people: SeenPerson, **changes: Value) -> Moment:
    return Moment(people=people, **changes)


def members(*names: str) -> Conversation:
    return Conversation(1, names, None, True, 9)


def test_nobody_out_of_reach_asleep_busy_or_elsewhere_is_invited() -> None:
    other_room = SeenPerson(BEA, "Park", (2, 2), 2, "reading", "📖", False, 0)
    for seen in (
        person(BEA, 9),
        person(BEA, asleep=True),
        person(BEA, doing=f"talking with {CY}"),
        other_room,
    ):
        assert isinstance(live(stroll(), with_people(seen)), Move), seen


def invite(mind: AiTownMind) -> Moment:
    percept = with_people(person(BEA, 5)).later(100)
    mind.pursuit.since = 100
    assert isinstance(live(mind, percept), Talk)
    return percept


def answer(chance: float, *heard: str) -> tuple[AiTownMind, Action]:
    """Return a mind that heard these people's invitations, and what it does."""
    mind = make_mind(accept_chance=chance)
    words = tuple(speech(name, ASK(ME)) for name in heard)
    people = tuple(person(name, 4, f"waiting for {ME}") for name in heard)
    return mind, live(mind, Moment(heard=words, people=people))


def test_whoever_is_invited_comes_or_declines_by_chance() -> None:
    _, yes = answer(1.0, BEA, CY)  # of two the first counts
    doing = f"walking up to {BEA}"
    assert yes == Talk(BEA, signs.write_acceptance(BEA), doing=doing, emoji="💬")
    mind, no = answer(0.0, BEA)
    assert no == Talk(None, signs.write_refusal(BEA), doing="staying where one is", emoji="💬")
    live(mind, Moment().later(10))
    assert (mind.talk, mind.declined) == (None, {BEA: 10})


def test_of_two_who_invite_each_other_the_last_by_name_comes() -> None:
    mind = stroll(accept_chance=0.0)  # Ann is before Bea
    percept = invite(mind)
    heard = percept.later(10, heard=(speech(BEA, ASK(ME)),))
    assert isinstance(live(mind, heard), Idle)
    assert mind.talk is not None
    assert mind.talk.stage == "inviting"
    other = stroll(accept_chance=0.0)
    early = with_people(person("Abe Aal", 5)).later(100)
    other.pursuit.since = 100
    assert isinstance(live(other, early), Talk)
    step = live(other, early.later(10, heard=(speech("Abe Aal", ASK(ME)),)))
    assert isinstance(step, Talk)
    assert (step.to, step.text) == ("Abe Aal", signs.write_acceptance("Abe Aal"))


def test_where_the_town_refuses_both_learn_to_wait() -> None:
    mind, _ = answer(1.0, BEA)
    mind.talked[BEA] = -100
    refused = Result(False, "you two talked just now; give it some time")
    people = (person(BEA, 4, f"waiting for {ME}"),)
    step = live(mind, Moment().later(10, result=refused, people=people))
    assert isinstance(step, Talk)
    assert (step.to, step.text) == (None, signs.write_apology(BEA))
    assert mind.spacing == 220
    inviter = stroll()
    percept = invite(inviter)
    inviter.talked[BEA] = 0
    live(inviter, percept.later(20, heard=(speech(BEA, signs.write_apology(ME)),)))
    assert (inviter.spacing, inviter.talk) == (240, None)
    again = with_people(person(BEA)).later(200)
    inviter.pursuit.heading, inviter.pursuit.since = "Park", 200
    assert isinstance(live(inviter, again), Move)
    assert isinstance(live(inviter, again.later(40)), Talk)


def test_at_night_one_goes_to_bed_and_invites_nobody() -> None:
    night = with_people(person(BEA)).later(16 * 3600)
    mind = stroll()
    assert isinstance(live(mind, night), Move)
    assert mind.talk is None
    awake = stroll(sleep=False)
    awake.pursuit.since = 16 * 3600
    assert isinstance(live(awake, night), Talk)
