"""Where things are done: the place that shares most words with the activity, else where one is."""

from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import closest, content, cut

NOTHING = "nothing"
_EMOJI = "🙂"
_STATE = 24  # characters


def spots(prompt: Prompt) -> dict[str, object]:
    """Return a place and a thing for each activity asked about."""
    options = prompt.choices("spots", "items", "where")
    things = [line.text for line in prompt.lines if line.head == "thing"]
    count = prompt.limit("minItems", 1, "spots")
    activities = [line.text for line in prompt.lines if line.number is not None]
    activities = ([""] * count + activities)[-count:]  # the first may have had no room
    return {"spots": [_spot(prompt, options, things, text) for text in activities]}


def choice(prompt: Prompt) -> dict[str, object]:
    """Return one step down the tree of places."""
    return {"where": _where(prompt, prompt.choices("where"), _activity(prompt))}


def use(prompt: Prompt) -> dict[str, object]:
    """Return the thing an activity names, and the state that its words give it."""
    return _using(prompt.choices("thing"), _activity(prompt))


def _activity(prompt: Prompt) -> str:
    return next((line.text for line in prompt.lines if line.head == "activity"), "")


def _spot(
    prompt: Prompt, options: list[str], things: list[str], activity: str
) -> dict[str, object]:
    return {"where": _where(prompt, options, activity), **_using(things, activity)}


def _where(prompt: Prompt, options: list[str], activity: str) -> str:
    """Return where to: by the activity's words; among equals one's own place of work or home."""
    if "home" in content(activity):
        activity = f"{activity} {prompt.home}"
    own = [place for place in options if place in (prompt.work, prompt.home)]
    others = [place for place in options if place not in own]
    return closest(activity, [*own, *others]) or next(iter(options), "here")


def _using(things: list[str], activity: str) -> dict[str, object]:
    doing = activity.rpartition(", ")[0] or activity
    thing = closest(doing, [name for name in things if name != NOTHING])
    return {
        "thing": cut(thing, _STATE) or NOTHING,
        "state": cut(doing.split(" ")[0], _STATE) if thing else "",
        "emoji": _EMOJI,
    }
