"""Invitations: asked and answered aloud, in a fixed form, by which another mind knows them.

Nobody is in a conversation of the town until an invitation is accepted: the acceptance opens it. So
to decline, or not to answer, is no talk, and does not count as one. Where the town does not let two
talk again yet, who was invited learns it, says so, and both wait for longer.
"""

from genagents_env.cognition.prompts import find_person
from genagents_env.cognition.query import Moment
from genagents_env.percept import HeardWords
from genagents_env.rng import draw_unit

from . import groups, signs
from .mind import AiTownMind, TalkState


def accepts(mind: AiTownMind, talk: TalkState) -> bool:
    """Return True if the agent accepts the invitation: by chance, surely if it invited, too."""
    drawn = draw_unit(mind.services.seed, "accepts", talk.begun, talk.other, mind.agent)
    return talk.mutual or drawn < mind.config.accept_chance


def note_acceptance(mind: AiTownMind, talk: TalkState, moment: Moment) -> None:
    """Note whether the town let the agent accept; if not, it has to decline."""
    town = moment.percept.conversation
    if town is None:
        talk.failed = True
        if any(seen.name == talk.other for seen in moment.percept.people):
            groups.note_refusal(mind, talk.other, moment.now)


def hear(mind: AiTownMind, words: HeardWords, moment: Moment) -> bool:
    """Take in words of the fixed form; return whether they were an invitation or its answer."""
    talk, speaker, text = mind.talk, words.speaker or "", words.text
    if not signs.is_fixed_form(text) or mind.config.meet == "collision":
        return False
    if talk is not None and talk.stage in ("walking", "talking"):
        accepted = not talk.lines and text == signs.write_acceptance(mind.name)
        return accepted or text == signs.write_invitation(mind.name)
    if text == signs.write_invitation(mind.name):
        _be_invited(mind, speaker, moment)
    elif talk is not None and talk.stage == "inviting" and speaker == talk.other:
        if text == signs.write_apology(mind.name):
            groups.note_refusal(mind, speaker, moment.now)
        if text in (signs.write_refusal(mind.name), signs.write_apology(mind.name)):
            mind.finish_talk(moment.now)
    return True


def _be_invited(mind: AiTownMind, speaker: str, moment: Moment) -> None:
    """Be invited, unless one is in a talk or waits for another; of two at once the first counts.

    Of two who invited each other the last by name comes.
    """
    talk = mind.talk
    if _is_engaged_elsewhere(mind, speaker, moment):
        return  # words that only look like it
    if talk is None and moment.percept.conversation is None:
        rests = groups.must_wait(mind, speaker, moment.now)
        mind.begin_talk(TalkState([speaker], "invited", moment.now, mine=False, failed=rests))
    elif talk is not None and talk.stage == "inviting" and talk.other == speaker < mind.name:
        talk.stage, talk.mine, talk.mutual = "invited", False, True


def note_rival(mind: AiTownMind, talk: TalkState, moment: Moment) -> None:
    """Give up an invitation to somebody who is seen to be in a talk with others by now."""
    if talk.stage != "inviting" or moment.now == talk.begun:
        return
    if _is_engaged_elsewhere(mind, talk.other, moment):
        mind.finish_talk(moment.now)


def _is_engaged_elsewhere(mind: AiTownMind, name: str, moment: Moment) -> bool:
    """Return True if somebody is seen to talk with others, or to wait for them."""
    seen = find_person(moment.percept, name)
    return seen is not None and signs.is_engaged(seen.doing) and mind.name not in seen.doing
