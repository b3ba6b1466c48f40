"""Signs: what people can perceive of how far a talk has come, in words and in what one is doing.

An invitation, and the answer to one, are utterances of a fixed form. Another mind of this kind
knows them by it; to people and to other minds they are words like all others. What one does, which
all see, tells that one is in a talk, is thinking of words, or is looking at somebody.
"""

import re

from genagents_env.cognition.prompts import shorten_name

TALKING, LISTENING, TYPING = "talking with", "listening to", "thinking what to say to"
COMING, WAITING = "walking up to", "waiting for"
STROLLING = "out for a walk"
_ENGAGED = (TALKING, LISTENING, TYPING, COMING, WAITING, "talking to")  # the last is the world's
_FIXED = re.compile(
    r".+, do you have a moment to talk\?|Gladly, .+\. I am coming over\.|Not now, .+, I am sorry\."
    r"|Later, .+, we talked not long ago\."
)
_GAZE = re.compile(r", looking at (.+)$")


def write_invitation(to: str) -> str:
    """Return the words by which one asks somebody for a talk."""
    return f"{to}, do you have a moment to talk?"


def write_acceptance(to: str) -> str:
    """Return the words by which one comes."""
    return f"Gladly, {to}. I am coming over."


def write_refusal(to: str) -> str:
    """Return the words by which one declines."""
    return f"Not now, {to}, I am sorry."


def write_apology(to: str) -> str:
    """Return the words by which one declines whom the town does not let one talk to yet."""
    return f"Later, {to}, we talked not long ago."


def is_fixed_form(words: str) -> bool:
    """Return True if words are an invitation or the answer to one, whoever they are for."""
    return _FIXED.fullmatch(words) is not None


def write_talking(others: list[str], gaze: str = "") -> str:
    """Format the activity of one who speaks; `gaze`: who is to speak next."""
    names = " and ".join(shorten_name(name) for name in others[:2]) or "those around"
    return f"{TALKING} {names}" + (f", looking at {gaze}" if gaze else "")


def find_gaze(doing: str) -> str:
    """Find the person whom a speaker looks at; empty for nobody."""
    match = _GAZE.search(doing) if doing.startswith(TALKING) else None
    return match[1] if match else ""


def is_engaged(doing: str) -> bool:
    """Return True if somebody is seen to be in a talk, or on the way to one."""
    return doing.startswith(_ENGAGED)


def is_typing(doing: str, name: str) -> bool:
    """Return True if somebody is seen thinking what to say to `name`."""
    return doing.startswith(f"{TYPING} ") and name in doing
