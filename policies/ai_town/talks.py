"""Talks: how one is entered, and what is left of it when it is over."""

from .mind import AiTownMind, FinishedTalk, TalkState


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
    came_to_be = talk.members or talk.lines
    for name in dict.fromkeys((*talk.others, *talk.members)):
        (mind.talked if came_to_be else mind.declined)[name] = now
    mind.ignored = list(talk.others)
    if talk.lines:
        mind.remembers.append(FinishedTalk(talk.others, talk.lines, now))
