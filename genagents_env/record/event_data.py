"""The types of an event's data by its kind, as `world.events` lists them, checked on reading."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from genagents_env.record.head import describe
from genagents_env.world.events import Event

_Number = Annotated[int, Field(gt=-(2**62), lt=2**62)]
_Texts = list[str]
_SHOWN: Mapping[str, object] = {
    "place": str,
    "tile": tuple[_Number, _Number],
    "doing": str,
    "asleep": bool,
}
_KINDS: Mapping[str, Mapping[str, object]] = {
    "start": _SHOWN,
    "put": _SHOWN,
    "join": _SHOWN,
    "object": {"object": str, "state": str},
    "doing": {"doing": str},
    "arrive": {"place": str},
    "say": {
        "text": str,
        "to": str | None,
        "heard_by": _Texts,
        "addressed": _Texts,
        "conversation": _Number | None,
        "phone": bool,
        "facts": _Texts,
    },
    "learn": {"fact": str, "cause": _Number, "source": str | None},
    "converse": {"conversation": _Number, "members": _Texts},
    "leave": {"conversation": _Number, "reason": str},
    "sleep": {"cause": str},
    "wake": {"cause": str},
    "fail": {"action": str, "reason": str},
    "whisper": {"text": str},
    "detour": {"around": str, "longer": _Number},
    "swap": {"with": str, "waited": _Number},
    "aside": {"moved": _Texts, "waited": _Number},
    "news": {"text": str, "place": str | None, "heard_by": _Texts},
}
_ABOUT_NOBODY = {"object", "news"}


class _Data(BaseModel):
    """The data of any event; an emoji is optional, and other keys are allowed."""

    model_config = ConfigDict(strict=True)


def _make_type(kind: str, fields: Mapping[str, object]) -> type[_Data]:
    required: dict[str, Any] = {name: (type_, ...) for name, type_ in fields.items()}
    return create_model(kind, __base__=_Data, **required)


_TYPES = {kind: _make_type(kind, fields) for kind, fields in _KINDS.items()}


def read_event(id_: int, tick: int, kind: str, agent: str | None, text: str) -> Event:
    """Return an event from its row; an unknown kind may have any object as data.

    Args:
        id_: of the event.
        tick: in which it happened.
        kind: of event.
        agent: whom it is about, or None.
        text: its data as JSON.

    Raises:
        ValueError: it is about nobody, or its data lacks a key or has one of another type.
    """
    if agent is None and kind in _KINDS and kind not in _ABOUT_NOBODY:
        raise ValueError(f"event {id_} ({kind:.20}) is about nobody")
    data: Any = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError(f"event {id_}: its data is no object")
    try:
        _TYPES.get(kind, _Data).model_validate_json(text)
    except ValidationError as error:
        raise ValueError(f"event {id_} ({kind:.20}): {describe(error)}") from None
    return Event(id_, tick, kind, agent, data)
