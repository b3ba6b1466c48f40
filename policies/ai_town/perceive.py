"""Perceive: what became of the last step and of the talk, by ear and eye alone.

Whether two are in a talk the town says; how far it has come follows from what was said and is seen.
Nothing else is taken in: memory is of talks alone, but for news and whispers, which AI Town does
not know.
"""

from collections.abc import Sequence

from genagents_env.cognition.prompts import find_person
from genagents_env.cognition.query import Moment
from genagents_env.percept import HeardWords

from . import groups, invitations, signs
from .mind import AiTownMind, SaidLine, TalkState, to_importance

_MOST_LINES = 200  # kept of a talk


def perceive(mind: AiTownMind, moment: Moment) -> None:
    """Take in a percept."""
    mind.tick = moment.tick
    _note_own_step(mind, moment)
    _note_members(mind, moment)
    for words in moment.percept.heard:
        if words.kind == "speech" and words.speaker:
            _hear(mind, words, moment)
    if mind.talk is not None and moment.percept.conversation is not None:
        mind.talk.members = _list_members(mind, moment)
    _note_meeting(mind, moment)
    _note_typing(mind, moment)
    _note_end(mind, moment)
    _remember_news(mind, moment)


def _note_own_step(mind: AiTownMind, moment: Moment) -> None:
    """Take in what came of the last words."""
    talk, step, ok = mind.talk, mind.step, moment.percept.result.ok
    if talk is None:
        return
    if step.kind == "words" and talk.mine and not talk.lines and not ok:
        mind.talk = None  # where somebody else was faster, it is in their talk now
        if moment.percept.conversation is None:
            groups.note_refusal(mind, talk.other, moment.now)
    elif step.kind == "words":
        _note_own_words(mind, talk, ok, moment)
    elif step.kind == "accept":
        invitations.note_acceptance(mind, talk, moment)


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


def _note_members(mind: AiTownMind, moment: Moment) -> None:
    """Compare the talk with the conversation that the town says one is in."""
    talk, others = mind.talk, _list_members(mind, moment)
    if not others:
        return
    if talk is None:
        _be_addressed(mind, others, moment)
    elif mind.config.meet == "collision":
        gone = [name for name in talk.others if name not in others and talk.lines]
        groups.note_members(mind, talk, others, gone)
    elif talk.stage in ("inviting", "invited") and talk.other not in others:
        mind.talk = None  # somebody else was faster
        _be_addressed(mind, others, moment)
    else:
        talk.stage = talk.stage if talk.stage == "talking" else "walking"
        # Whom one talks with comes first who is still there; those who left are remembered.
        talk.others.sort(key=lambda name: name not in others)
        if talk.other not in others:
            talk.others.insert(0, others[0])


def _be_addressed(mind: AiTownMind, others: Sequence[str], moment: Moment) -> None:
    """Be spoken to by somebody who did not ask first: they are accepted, as people are there."""
    grouped = mind.config.meet == "collision"
    talk = TalkState(
        list(others) if grouped else [others[0]],
        "talking" if grouped else "walking",
        moment.now,
        mine=False,
        started=moment.now if grouped else -1,
    )
    mind.begin_talk(talk)


def _hear(mind: AiTownMind, words: HeardWords, moment: Moment) -> None:
    """Take in somebody's words, where they belong to the talk."""
    if invitations.hear(mind, words, moment):
        return
    talk, speaker = mind.talk, words.speaker or ""
    if talk is None or (talk.leaving and not talk.unsaid):
        return
    grouped = mind.config.meet == "collision" and speaker in talk.others
    if not grouped and speaker not in (*talk.members, *_list_members(mind, moment)):
        return  # overheard; who leaves with these words was among them before
    if speaker not in talk.others:
        talk.others.append(speaker)
    talk.by_phone = talk.by_phone or words.by_phone
    talk.typing = -1
    at = _find_last_second(mind, moment)
    _add_line(talk, SaidLine(speaker, words.text, words.event_id, at))
    talk.turn = groups.find_turn(mind, talk, speaker, moment)
    if mind.config.late_words == "drop" and talk.unsaid:
        talk.unsaid, talk.leaving, talk.failed = "", False, False


def _list_members(mind: AiTownMind, moment: Moment) -> list[str]:
    """List the others whom the town counts among the agent's conversation."""
    town = moment.percept.conversation
    return [name for name in town.members if name != mind.name] if town is not None else []


def _note_meeting(mind: AiTownMind, moment: Moment) -> None:
    """Note whether both have come together; person who is on the telephone need not."""
    talk = mind.talk
    if talk is None or talk.stage != "walking":
        return
    seen = find_person(moment.percept, talk.other)
    if talk.by_phone or (seen is not None and seen.distance <= mind.config.meet_tiles):
        talk.stage, talk.started = "talking", moment.now


def _note_typing(mind: AiTownMind, moment: Moment) -> None:
    """Note since when the other is seen to think of words."""
    talk = mind.talk
    if talk is None:
        return
    seen = find_person(moment.percept, talk.other)
    if seen is None or not signs.is_typing(seen.doing, mind.name):
        talk.typing = -1
    elif talk.typing < 0:
        talk.typing = _find_last_second(mind, moment)


def _note_end(mind: AiTownMind, moment: Moment) -> None:
    """Finish the talk where the town says that one is in none, or a group has broken up."""
    talk = mind.talk
    if talk is None or moment.percept.conversation is not None:
        return
    left = mind.step.kind in ("leave", "refuse")
    if talk.stage in ("inviting", "invited") and not left:
        invitations.note_rival(mind, talk, moment)
        return
    if mind.config.meet == "collision" and groups.is_together(mind, talk, moment):
        return
    mind.finish_talk(moment.now)


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
    lines.sort(key=lambda said: (said.at, said.speaker))
    talk.lines = lines[-_MOST_LINES:]


def _find_last_second(mind: AiTownMind, moment: Moment) -> int:
    """Return the second of the step whose outcome is perceived now."""
    return moment.now - mind.services.seconds_per_tick
