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


def test_who_walks_invites_the_nearest_aloud_by_the_fault_the_first_in_the_list() -> None:
    near = with_people(person(CY, 2), person(BEA, 7))
    assert live(stroll(), near) == Talk(None, ASK(CY), doing=f"waiting for {CY}", emoji="💬")
    step = live(stroll(invite_first_in_list=True), near)
    assert isinstance(step, Talk)
    assert step.text == ASK(BEA)


def test_nobody_out_of_reach_asleep_busy_or_elsewhere_is_invited() -> None:
    other_room = SeenPerson(BEA, "Park", (2, 2), 2, "reading", "📖", False, 0)
    for seen in (
        person(BEA, 9),
        person(BEA, asleep=True),
        person(BEA, doing=f"talking with {CY}"),
        other_room,
    ):
        assert isinstance(live(stroll(), with_people(seen)), Move), seen


def test_attempts_talks_and_pairs_have_their_pauses() -> None:
    near = with_people(person(BEA)).later(1000)
    for field, pause in (("tried", 15), ("left", 15)):
        mind = stroll()
        mind.pursuit.since = 1000
        setattr(mind, field, 1000 - pause + 5)
        assert isinstance(live(mind, near), Move), field
        assert isinstance(live(mind, near.later(10)), Talk), field
    mind = stroll()
    mind.pursuit.since, mind.talked[BEA] = 1000, 950
    assert isinstance(live(mind, near), Move)
    assert isinstance(live(mind, near.later(10)), Talk)


def invite(mind: AiTownMind) -> Moment:
    percept = with_people(person(BEA, 5)).later(100)
    mind.pursuit.since = 100
    assert isinstance(live(mind, percept), Talk)
    return percept


def test_an_accepted_invitation_leads_to_walking_over_and_talking() -> None:
    mind = stroll()
    percept = invite(mind)
    assert live(mind, percept.later(10)) == Idle(f"waiting for {BEA}", "💭")
    accepted = percept.later(
        20,
        heard=(speech(BEA, signs.write_acceptance(ME)),),
        conversation=members(BEA, ME),
        people=(person(BEA, 5, f"walking up to {ME}"),),
    )
    # Bea stands at 2,2 and Ann at 1,1: half the way.
    assert live(mind, accepted) == Move("1,1", f"walking up to {BEA}", "🚶")
    near = accepted.later(30, heard=(), people=(person(BEA, 1),))
    live(mind, near)
    talk = mind.talk
    assert talk is not None
    assert (talk.stage, talk.mine, talk.lines, talk.started) == ("talking", True, [], 150)


def test_a_declined_invitation_counts_as_a_talk_for_a_minute() -> None:
    mind = stroll()
    percept = invite(mind)
    declined = percept.later(20, heard=(speech(BEA, signs.write_refusal(ME)),))
    assert isinstance(live(mind, declined), Move)
    assert (mind.talk, mind.left, mind.declined) == (None, 120, {BEA: 120})
    assert not mind.remembers
    again = declined.later(50, heard=())
    mind.tried = mind.left = -1000
    mind.pursuit.heading, mind.pursuit.since = "Park", 120
    assert isinstance(live(mind, again), Move)
    assert isinstance(live(mind, declined.later(60, heard=())), Talk)


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
