"""What a mind holds, read from its saved state: the stream, the plans in it, ties over time.

Plans are read from the stream, in which each hour and each piece that was planned is a memory with
the call that made it; so what was replaced later is there, too.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from genagents_env.cognition.prompts import shorten_name
from genagents_env.memory.content import (
    CallCause,
    Causes,
    ContentPlan,
    ContentPlanLine,
    ContentTie,
    MindContent,
    SavedMind,
    State,
    find_made,
    list_stream,
    read_reply,
)

from .mind import PAST, SEED

_TITLES = {
    "plan.day": "the day",
    "plan.hours": "the hours of the day",
    "plan.revise": "the hours of the day",  # those that are left take the place of all
    "ground": "the next steps",
}
_TIES = ("converse.relate", "converse.memo")
_DECIDED = CallCause(("ground.", "plan.pieces", "react.decide", "converse.speak", "plan.hours"))
_TURNED = CallCause(("react.decide",), names=True)
CAUSES: Causes = {
    "say": (CallCause(("converse.speak",)),),
    "converse": (_TURNED, CallCause(("converse.speak",))),
    "leave": (CallCause(("converse.speak",)),),
    "doing": (_DECIDED,),
    "object": (_DECIDED,),
    "arrive": (_DECIDED,),
    "converse.speak": (_TURNED, CallCause(("converse.relate",), names=True)),
    "ground.": (CallCause(("plan.pieces", "react.decide")),),
    "plan.pieces": (CallCause(("plan.hours", "plan.revise")),),
    "plan.revise": (CallCause(("converse.memo", "react.decide", "summary.status")),),
    "plan.hours": (CallCause(("plan.day",)),),
    "plan.day": (CallCause(("plan.renew",)),),
}


def describe_mind(saved: SavedMind) -> MindContent:
    """Return memories, plans and ties; without a checkpoint only the ties in replies."""
    ties = list(_list_ties(saved))
    if saved.state is None:
        return MindContent(ties=tuple(ties))
    stream = saved.state["stream"]
    last = [
        ContentTie(name, saved.find_tick(tie["made"]), tie["text"])
        for name, tie in saved.state["ties"].items()
        if tie["text"]
    ]
    known = {(tie.name, tie.text) for tie in ties}
    ties += [tie for tie in last if (tie.name, tie.text) not in known]
    return MindContent(
        tuple(list_stream(saved, stream, (SEED, PAST))),
        tuple(_list_plans(saved, stream)),
        tuple(sorted(ties, key=lambda tie: tie.since)),
    )


def _list_plans(saved: SavedMind, stream: State) -> Iterator[ContentPlan]:
    """Yield each plan there was: the memories that one call, or the grounding of an hour, made."""
    planned = [n for n, kind in enumerate(stream["kind"]) if kind == "plan"]
    for (made, purpose, _), group in groupby(planned, lambda n: _find_origin(saved, stream, n)):
        if purpose not in _TITLES:
            continue  # planned before the run
        numbers = list(group)
        if purpose == "plan.day":
            lines = _list_outline(saved, stream["cause"][numbers[0]])
        else:
            lines = [_make_line(saved, stream, n) for n in numbers]
        yield ContentPlan(made, _TITLES[purpose], tuple(lines))


def _find_origin(saved: SavedMind, stream: State, number: int) -> tuple[int, str, str]:
    """Find when a plan was made, of what kind it is, and the call where each is one by itself."""
    cause: str = stream["cause"][number]
    made = find_made(saved, stream["created"][number], cause)
    purpose = cause.split(" ")[0]
    return (made, "ground", "") if purpose.startswith("ground.") else (made, purpose, cause)


def _make_line(saved: SavedMind, stream: State, number: int) -> ContentPlanLine:
    """Return a planned hour or piece, without the words that say whose it is and when."""
    start, text = stream["start"][number], stream["text"][number]
    head = f"{saved.agent} plans for "
    words = text[len(head) :].partition(": ")[2] if text.startswith(head) else text
    end = start + stream["duration"][number]
    return ContentPlanLine(words or text, saved.format_clock(start), saved.format_clock(end))


def _list_outline(saved: SavedMind, cause: str) -> list[ContentPlanLine]:
    """List the strokes of an outline from the reply that made it."""
    named = (c for c in saved.calls if f"{c.purpose} #{c.number} at tick {c.tick}" == cause)
    made = next(named, None)
    outline = read_reply(made).get("outline", []) if made is not None else []
    return [ContentPlanLine(str(stroke)) for stroke in outline]


def _list_ties(saved: SavedMind) -> Iterator[ContentTie]:
    """List what was made of others, before their talks and after them."""
    for call in saved.calls:
        if call.purpose in _TIES and (text := read_reply(call).get("relationship", "")):
            asked = call.prompt.rstrip().rpartition("\n")[2]  # names whom it is about
            others = _find_names(asked, [n for n in saved.people if n != saved.agent])
            if len(others) == 1:
                yield ContentTie(others[0], call.tick + 1, str(text))


def _find_names(text: str, names: Sequence[str]) -> list[str]:
    """Return those in `text`, the longest first; one within another is not found."""
    named: list[str] = []
    for name in sorted(names, key=len, reverse=True):
        if shorten_name(name) in text:
            named.append(name)
            text = text.replace(shorten_name(name), "")
    return named
