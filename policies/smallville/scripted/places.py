"""Where things are done: the place that shares most words with the activity, else where it is."""

from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import cut_text, find_closest, find_content_words

NOTHING = "nothing"
_EMOJI = "🙂"
_STATE = 24  # characters


def choose_spots(prompt: Prompt) -> dict[str, object]:
    """Return a place and a thing for each activity asked about."""
    options = prompt.list_choices("spots", "items", "where")
    things = [line.text for line in prompt.lines if line.head == "thing"]
    count = prompt.find_limit("minItems", 1, "spots")
    activities = [line.text for line in prompt.lines if line.number is not None]
    activities = ([""] * count + activities)[-count:]  # the first may have had no room
    return {"spots": [_choose_spot(prompt, options, things, text) for text in activities]}


def choose_place(prompt: Prompt) -> dict[str, object]:
    """Return one step down the tree of places."""
    return {"where": choose_where(prompt, prompt.list_choices("where"), _find_activity(prompt))}


def choose_object(prompt: Prompt) -> dict[str, object]:
    """Return the thing an activity names, and the state that its words give it."""
    return _choose_use(prompt.list_choices("thing"), _find_activity(prompt))


def _find_activity(prompt: Prompt) -> str:
    return next((line.text for line in prompt.lines if line.head == "activity"), "")


def _choose_spot(
    prompt: Prompt, options: list[str], things: list[str], activity: str
) -> dict[str, object]:
    return {"where": choose_where(prompt, options, activity), **_choose_use(things, activity)}


def choose_where(prompt: Prompt, options: list[str], activity: str) -> str:
    """Return where to: by the activity's words; among equals the agent's place of work or home."""
    if "home" in find_content_words(activity):
        activity = f"{activity} {prompt.home}"
    own = [place for place in options if place in (prompt.work, prompt.home)]
    others = [place for place in options if place not in own]
    return find_closest(activity, [*own, *others]) or next(iter(options), "here")


def _choose_use(things: list[str], activity: str) -> dict[str, object]:
    doing = activity.rpartition(", ")[0] or activity
    thing = find_closest(doing, [name for name in things if name != NOTHING])
    return {
        "thing": cut_text(thing, _STATE) or NOTHING,
        "state": cut_text(doing.split(" ")[0], _STATE) if thing else "",
        "emoji": _EMOJI,
    }
