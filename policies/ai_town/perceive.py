"""Perceive: what became of the last step and of the talk, by ear and eye alone.

Whether two are in a talk the town says; how far it has come follows from what was said and is seen.
Nothing else is taken in: memory is of talks alone, but for news and whispers, which AI Town does
not know.
"""

from collections.abc import Sequence

from genagents_env.cognition.query import Moment
from genagents_env.percept import HeardWords

from . import groups, signs
from .mind import AiTownMind, FinishedTalk, SaidLine, TalkState, to_importance

_MOST_LINES = 200  # kept of a talk
_MOST_REFUSALS = 6  # after which the wait grows no longer: about an hour


def perceive(mind: AiTownMind, moment: Moment) -> None:
    """Take in a percept."""
    mind.tick = moment.tick
    _note_own_step(mind, moment)
    heard = [words for words in moment.percept.heard if words.kind == "speech" and words.speaker]
    _note_members(mind, moment, heard)
    for words in heard:
        _hear(mind, words, moment)
    if mind.talk is not None and moment.percept.conversation is not None:
        mind.talk.members = _list_members(mind, moment)
    _note_meeting(mind, moment)
    _note_typing(mind, moment)
    _note_end(mind, moment)
    _remember_news(mind, moment)


def begin_talk(mind: AiTownMind, talk: TalkState) -> None:
    """Enter a talk: whatever else the agent was doing is over."""
    mind.talk = talk
    mind.pursuit.heading = ""
    end_activity(mind, talk.begun)


def end_activity(mind: AiTownMind, now: int) -> None:
    """End the activity, if there is one."""
    if mind.pursuit.activity:
        mind.pursuit.activity, mind.rested = "", now


def finish_talk(mind: AiTownMind, now: int) -> None:
    """Be in no talk any more; one in which something was said is to be remembered.

    The pair leaves each other alone for a while, also where one of them declined.
    """
    talk = mind.talk
    if talk is None:
        return
    mind.talk, mind.left = None, now
    for name in (*talk.others, *talk.members):
        mind.talked[name] = now
    mind.ignored = list(talk.others)
    if talk.lines:
        mind.remembers.append(FinishedTalk(talk.others, talk.lines, now))


def _note_own_step(mind: AiTownMind, moment: Moment) -> None:
    """Take in what came of the last words."""
    talk, step, ok = mind.talk, mind.step, moment.percept.result.ok
    if talk is None or step.kind not in ("invite", "accept", "words"):
        return
    if talk.mine and (step.kind == "invite" or (step.kind == "words" and not talk.lines)):
        _note_opening(mind, talk, ok, moment)
    if step.kind == "words":
        _note_own_words(mind, talk, ok, moment)
    elif step.kind == "accept" and ok:
        talk.stage = "walking"


def _note_opening(mind: AiTownMind, talk: TalkState, ok: bool, moment: Moment) -> None:
    """Note whether the town let the agent speak to somebody; if not, wait longer and longer.

    It does not say for how long two may not talk to each other again, which each town rules anew.
    """
    if ok:
        mind.refusals.pop(talk.other, None)
        return
    mind.talk = None  # where somebody else was faster, it is in their talk now
    if moment.percept.conversation is None:
        mind.refusals[talk.other] = min(_MOST_REFUSALS, mind.refusals.get(talk.other, 0) + 1)
        mind.talked[talk.other] = moment.now


def _note_own_words(mind: AiTownMind, talk: TalkState, ok: bool, moment: Moment) -> None:
    """Note that words were said, or keep them once where they were not."""
    if ok:
        line = SaidLine(mind.name, mind.step.text, -1, _find_last_second(mind, moment))
        _add_line(talk, line)
        talk.turn, talk.unsaid, talk.failed = talk.gaze, "", False
    elif talk.failed:
        talk.unsaid, talk.passed, talk.failed = "", moment.now, False
        talk.leaving = talk.leaving or moment.percept.conversation is None
    else:
        talk.failed = True


def _note_members(mind: AiTownMind, moment: Moment, heard: Sequence[HeardWords]) -> None:
    """Compare the talk with the conversation that the town says one is in."""
    town = moment.percept.conversation
    if town is None:
        return
    others = _list_members(mind, moment)
    if mind.talk is None:
        _be_addressed(mind, others, heard, moment)
    elif mind.config.meet == "collision":
        gone = [name for name in mind.talk.others if name not in others and mind.talk.lines]
        groups.note_members(mind, mind.talk, others, gone)
    else:
        _note_pair(mind, mind.talk, town.members, heard, moment)


def _be_addressed(
    mind: AiTownMind, others: Sequence[str], heard: Sequence[HeardWords], moment: Moment
) -> None:
    """Be spoken to: an invitation is answered, other words are accepted, as people are there."""
    spoke = {words.speaker: words.text for words in heard[::-1] if words.speaker in others}
    speaker = others[0]  # of the first two in it the other
    invited = spoke.get(speaker) == signs.write_invitation(mind.name)
    grouped = mind.config.meet == "collision"
    talk = TalkState(
        list(others) if grouped else [speaker],
        "talking" if grouped else "invited" if invited else "walking",
        moment.now,
        mine=False,
        started=moment.now if grouped else -1,
    )
    begin_talk(mind, talk)


def _note_pair(
    mind: AiTownMind,
    talk: TalkState,
    members: Sequence[str],
    heard: Sequence[HeardWords],
    moment: Moment,
) -> None:
    """Let the talk be of the first two in it: a third who invited one of them leaves again."""
    others = _list_members(mind, moment)
    if talk.stage != "inviting":
        # Whom one talks with comes first who is still there; those who left are remembered.
        talk.others.sort(key=lambda name: name not in others)
        if talk.other not in others:
            talk.others.insert(0, others[0])
    elif mind.name not in members[:2]:
        talk.leaving = True
    elif talk.other not in members[:2]:
        mind.talk = None  # somebody else was faster than the invitation
        _be_addressed(mind, others, heard, moment)


def _hear(mind: AiTownMind, words: HeardWords, moment: Moment) -> None:
    """Take in somebody's words, where they belong to the talk."""
    talk, speaker = mind.talk, words.speaker or ""
    if talk is None or (talk.leaving and not talk.unsaid):
        return
    grouped = mind.config.meet == "collision" and speaker in talk.others
    if not grouped and speaker not in (*talk.members, *_list_members(mind, moment)):
        return  # overheard; who leaves with these words was among them before
    if speaker not in talk.others:
        if talk.stage != "talking" or signs.is_fixed_form(words.text):
            return  # of one who invites in vain
        talk.others.append(speaker)
    talk.by_phone = talk.by_phone or words.by_phone
    talk.typing = -1
    if words.text == signs.write_invitation(mind.name) and talk.stage in ("inviting", "invited"):
        if talk.stage == "inviting":  # each invited the other: the first by name is to speak first
            talk.stage, talk.mine = "walking", mind.name < speaker
        return
    if words.text == signs.write_refusal(mind.name) and talk.stage == "inviting":
        return
    if talk.stage == "inviting":
        talk.stage = "walking"
        if words.text == signs.write_acceptance(mind.name):
            return
    at = _find_last_second(mind, moment)
    _add_line(talk, SaidLine(speaker, words.text, words.event_id, at))
    talk.turn = groups.find_turn(mind, talk, speaker, moment)
    if mind.config.late_words == "drop" and talk.unsaid:
        talk.unsaid, talk.leaving, talk.failed = "", False, False


def _list_members(mind: AiTownMind, moment: Moment) -> list[str]:
    """Return who else the town counts among the conversation that the agent is in."""
    town = moment.percept.conversation
    return [name for name in town.members if name != mind.name] if town is not None else []


def _note_meeting(mind: AiTownMind, moment: Moment) -> None:
    """Note whether both have come together; one who is on the telephone need not."""
    talk = mind.talk
    if talk is None or talk.stage != "walking":
        return
    seen = next((one for one in moment.percept.people if one.name == talk.other), None)
    if talk.by_phone or (seen is not None and seen.distance <= mind.config.meet_tiles):
        talk.stage, talk.started = "talking", moment.now


def _note_typing(mind: AiTownMind, moment: Moment) -> None:
    """Note since when the other is seen to think of words."""
    talk = mind.talk
    if talk is None:
        return
    seen = next((one for one in moment.percept.people if one.name == talk.other), None)
    if seen is None or not signs.is_typing(seen.doing, mind.name):
        talk.typing = -1
    elif talk.typing < 0:
        talk.typing = _find_last_second(mind, moment)


def _note_end(mind: AiTownMind, moment: Moment) -> None:
    """Finish the talk where the town says that one is in none, or a group has broken up."""
    talk = mind.talk
    if talk is None or moment.percept.conversation is not None:
        return
    if mind.config.meet == "collision" and groups.is_together(mind, talk, moment):
        return
    finish_talk(mind, moment.now)


def _remember_news(mind: AiTownMind, moment: Moment) -> None:
    """Keep what is announced, or whispered to the agent alone, as it was heard."""
    for words in moment.percept.heard:
        if words.kind in ("news", "thought") and words.text:
            rated = to_importance(mind.config.default_importance)
            mind.stream.add(
                "event",
                words.text,
                created=moment.now,
                importance=rated,
                events=[words.event_id],
            )


def _add_line(talk: TalkState, line: SaidLine) -> None:
    """Add words; of several at the same moment everybody takes the last by name to be the last."""
    lines = [*talk.lines, line]
    lines.sort(key=lambda one: (one.at, one.speaker))
    talk.lines = lines[-_MOST_LINES:]


def _find_last_second(mind: AiTownMind, moment: Moment) -> int:
    """Return the second of the step whose outcome is perceived now."""
    return moment.now - mind.services.seconds_per_tick
