"""What the data of an event must be by its kind, as `world.events` lists it: read from a file."""

import json
from collections.abc import Callable, Mapping

from genagents_env.record.rows import JSON
from genagents_env.world.events import Event

Check = Callable[[JSON], bool]


def _is_text(value: JSON) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: JSON) -> bool:
    return value is None or isinstance(value, str)


def _is_number(value: JSON) -> bool:
    return type(value) is int and abs(value) < 2**62


def _is_number_or_none(value: JSON) -> bool:
    return value is None or _is_number(value)


def _is_flag(value: JSON) -> bool:
    return isinstance(value, bool)


def _is_texts(value: JSON) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_tile(value: JSON) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


_SHOWN: Mapping[str, Check] = {
    **{"place": _is_text, "tile": _is_tile, "doing": _is_text, "emoji": _is_text},
    "asleep": _is_flag,
}
_KINDS: Mapping[str, Mapping[str, Check]] = {
    "start": _SHOWN,
    "put": _SHOWN,
    "join": _SHOWN,
    "object": {"object": _is_text, "state": _is_text},
    "doing": {"doing": _is_text, "emoji": _is_text},
    "arrive": {"place": _is_text},
    "say": {
        **{"text": _is_text, "to": _is_text_or_none, "heard_by": _is_texts},
        **{"addressed": _is_texts, "conversation": _is_number_or_none, "phone": _is_flag},
        "facts": _is_texts,
    },
    "learn": {"fact": _is_text, "cause": _is_number, "source": _is_text_or_none},
    "converse": {"conversation": _is_number, "members": _is_texts},
    "leave": {"conversation": _is_number, "reason": _is_text},
    "sleep": {"cause": _is_text},
    "wake": {"cause": _is_text},
    "fail": {"action": _is_text, "reason": _is_text},
    "whisper": {"text": _is_text},
    "detour": {"around": _is_text, "longer": _is_number},
    "swap": {"with": _is_text, "waited": _is_number},
    "aside": {"moved": _is_texts, "waited": _is_number},
    "news": {"text": _is_text, "place": _is_text_or_none, "heard_by": _is_texts},
}
_UNREAD = {"emoji"}  # shown where it is there; nothing needs it
_ABOUT_NOBODY = {"object", "news"}


def read_event(id_: int, tick: int, kind: str, agent: str | None, text: str) -> Event:
    """Return an event from its row; of kinds that this version does not know, any object will do.

    Args:
        id_: of the event.
        tick: in which it happened.
        kind: of event.
        agent: whom it is about, or None.
        text: of its data, JSON.

    Raises:
        ValueError: it is about nobody, or its data lacks a key or has one of another type.
    """
    data = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError(f"event {id_}: its data is no object")
    known = _KINDS.get(kind, {})
    for key, check in known.items():
        if not (check(data[key]) if key in data else key in _UNREAD):
            raise ValueError(f"event {id_} ({kind:.20}): {key} is not as it must be")
    if agent is None and known and kind not in _ABOUT_NOBODY:
        raise ValueError(f"event {id_} ({kind:.20}) is about nobody")
    return Event(id_, tick, kind, agent, data)
