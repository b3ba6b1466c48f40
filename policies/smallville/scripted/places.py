"""Where things are done: the place that shares most words with the activity, else where it is."""

from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import find_closest, find_content_words

NOTHING = "nothing"
_EMOJI = "🙂"


def choose_spots(prompt: Prompt) -> dict[str, object]:
    """Return a place and a thing for each activity asked about."""
    options = prompt.list_choices("spots", "items", "where")
    things = _list_things(prompt)
    count = prompt.find_limit("minItems", 1, "spots")
    activities = [line.text for line in prompt.lines if line.number is not None]
    activities = ([""] * count + activities)[-count:]  # the first may have had no room
    return {"spots": [_choose_spot(prompt, options, things, text) for text in activities]}


def _list_things(prompt: Prompt) -> dict[str, dict[str, list[str]]]:
    """Return the things of each place with their states, as its line lists them."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in prompt.lines:
        if line.head == "place" and len(line.heads) > 1:
            named = [part.partition(": ") for part in line.text.split("; ") if ": " in part]
            found[line.heads[1]] = {name: states.split(" / ") for name, _, states in named}
    return found


def choose_place(prompt: Prompt) -> dict[str, object]:
    """Return one step down the tree of places."""
    return {"where": choose_where(prompt, prompt.list_choices("where"), _find_activity(prompt))}


def choose_object(prompt: Prompt) -> dict[str, object]:
    """Return the thing an activity names, and the state that its words give it."""
    things = {
        line.heads[0]: line.text.split(" / ")
        for line in prompt.lines
        if line.heads[1:] == ("can be",) and line.heads[0] in prompt.list_choices("thing")
    }
    return _choose_use(things, _find_activity(prompt))


def _find_activity(prompt: Prompt) -> str:
    return next((line.text for line in prompt.lines if line.head == "activity"), "")


def _choose_spot(
    prompt: Prompt,
    options: list[str],
    things: dict[str, dict[str, list[str]]],
    activity: str,
) -> dict[str, object]:
    where = choose_where(prompt, options, activity)
    return {"where": where, **_choose_use(things.get(where, {}), activity)}


def choose_where(prompt: Prompt, options: list[str], activity: str) -> str:
    """Return where to: by the activity's words; among equals the agent's place of work or home."""
    if "home" in find_content_words(activity):
        activity = f"{activity} {prompt.home}"
    own = [place for place in options if place in (prompt.work, prompt.home)]
    others = [place for place in options if place not in own]
    return find_closest(activity, [*own, *others]) or next(iter(options), "here")


def _choose_use(things: dict[str, list[str]], activity: str) -> dict[str, object]:
    """Return the thing that an activity names, and the state that its words name, else another."""
    doing = activity.rpartition(", ")[0] or activity
    thing = find_closest(doing, list(things))
    states = things.get(thing, [])
    return {
        "thing": thing or NOTHING,
        "state": find_closest(doing, states) or next(iter(states[1:]), ""),
        "emoji": _EMOJI,
    }
