"""What phrases show: requests in conversations, whether they are declined, and formality.

Agents of instruction-tuned models hardly ever say no, and talk like letters.

An utterance asks if it holds a phrase of `ask` in `phrases.toml` and somebody it addresses hears
it. The answer is the first utterance, in the same conversation and after it, of each of these. It
declines with a phrase of `decline`; it accepts with one of `accept` and none of `decline`; else it
is neither. Whoever says no to what nobody asked is not counted.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Literal, NamedTuple

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData

FILE = "phrases.toml"


def load_phrases() -> Mapping[str, re.Pattern[str]]:
    """Return for each kind of the data file one pattern that finds any of its phrases.

    Texts must have passed through `straighten_quotes` first.
    """
    text = files("genagents_env.study.evaluate").joinpath(FILE).read_text(encoding="utf-8")
    return {
        kind: re.compile("|".join(f"(?:{one})" for one in entry["patterns"]), re.IGNORECASE)
        for kind, entry in tomllib.loads(text).items()
    }


def straighten_quotes(text: str) -> str:
    """Return `text` with straight apostrophes, since models write both kinds."""
    return text.replace("\u2019", "'")


Kind = Literal["accepted", "declined", "neither"]


class Request(NamedTuple):
    """Who was asked, and what the answer was; None where they said nothing more in the talk."""

    agent: str
    kind: Kind | None


def find_requests(data: RunData) -> tuple[Request, ...]:
    """Return every request made in conversations, in order.

    Of several utterances that ask one before the answer, the last is the one that is answered;
    the others stand without an answer.
    """
    kinds = load_phrases()
    waiting: dict[tuple[int, str], int] = {}
    found: dict[tuple[int, str], Request] = {}
    for event in data.utterances:
        conversation, agent = event.data["conversation"], event.agent or ""
        if conversation is None:
            continue
        text = straighten_quotes(str(event.data["text"]))
        question = waiting.pop((conversation, agent), None)
        if question is not None:
            found[question, agent] = Request(agent, _classify(text, kinds))
        if kinds["ask"].search(text):
            heard_by = {*event.data["heard_by"]} - {agent}
            for hearer in (name for name in event.data["addressed"] if name in heard_by):
                waiting[conversation, hearer] = event.id
                found[event.id, hearer] = Request(hearer, None)
    return tuple(found.values())


def _classify(text: str, kinds: Mapping[str, re.Pattern[str]]) -> Kind:
    if kinds["decline"].search(text):
        return "declined"
    return "accepted" if kinds["accept"].search(text) else "neither"


_PARK = (
    "failure named in Park et al. 2023, section 7.2: Isabella took up every suggestion of others; "
    "the rule by phrases (`evaluate/phrases.toml`, English) is ours"
)


def _share_of_answers(data: RunData, kind: Kind) -> float | None:
    kinds = [one.kind for one in find_requests(data) if one.kind is not None]
    return ratio(kinds.count(kind), len(kinds))


@measure("Saying no", "share", _PARK)
def declined(data: RunData) -> float | None:
    """Of the invitations, requests and suggestions, known by their phrases, that somebody was
    addressed with in a conversation, heard, and spoke after, the share whose first answer declines.
    None where nobody was so asked.
    """
    return _share_of_answers(data, "declined")


@measure("Saying yes", "share", _PARK)
def accepted(data: RunData) -> float | None:
    """Of the invitations, requests and suggestions, known by their phrases, that somebody was
    addressed with in a conversation, heard, and spoke after, the share whose first answer accepts
    and does not decline; what is left is neither. None where nobody was so asked.
    """
    return _share_of_answers(data, "accepted")


@measure(
    "Formality",
    "share",
    "failure named in Park et al. 2023, section 7.2: stiff dialogue, even of husband and wife; the "
    "phrases (`evaluate/phrases.toml`) are ours, in place of the score F of Heylighen and "
    "Dewaele 2002, which needs a tagger",
)
def formality(data: RunData) -> float | None:
    """Of all utterances, the share with a formula of politeness, a greeting in a full sentence or a
    connective of written English, by the phrases `formal`. A proxy: it reads words alone, and
    English alone. None where nothing was said.
    """
    formal, said = load_phrases()["formal"], data.utterances
    found = sum(bool(formal.search(straighten_quotes(str(event.data["text"])))) for event in said)
    return ratio(found, len(said))
