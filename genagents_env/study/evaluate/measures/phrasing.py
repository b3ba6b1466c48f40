"""What phrases show: requests in conversations, whether they are declined, and formality.

Agents of instruction-tuned models hardly ever say no, and talk like letters.

An utterance asks if it holds a phrase of `ask` in `phrases.toml` and somebody it addresses hears
it. The answer is the first utterance, in the same conversation and after it, of each of these. It
declines with a phrase of `decline`. Whoever says no to what nobody asked is not counted.
"""

from typing import NamedTuple

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.phrases import load_phrases, straighten
from genagents_env.study.evaluate.run_data import RunData


class Request(NamedTuple):
    """Who was asked, and whether they declined; None where they said nothing more in the talk."""

    agent: str
    declined: bool | None


def find_requests(data: RunData) -> tuple[Request, ...]:
    """Return every request made in conversations, in order.

    Of several utterances that ask one before the answer, the last is the one that is answered;
    the others stand without an answer.
    """
    phrases = load_phrases()
    waiting: dict[tuple[int, str], int] = {}
    found: dict[tuple[int, str], Request] = {}
    for event in data.utterances:
        conversation, agent = event.data["conversation"], event.agent or ""
        if conversation is None:
            continue
        text = straighten(str(event.data["text"]))
        question = waiting.pop((conversation, agent), None)
        if question is not None:
            found[question, agent] = Request(agent, bool(phrases["decline"].search(text)))
        if phrases["ask"].search(text):
            heard_by = {*event.data["heard_by"]} - {agent}
            for hearer in (name for name in event.data["addressed"] if name in heard_by):
                waiting[conversation, hearer] = event.id
                found[event.id, hearer] = Request(hearer, None)
    return tuple(found.values())


_PARK = (
    "failure named in Park et al. 2023, section 7.2: Isabella took up every suggestion of others; "
    "the rule by phrases (`evaluate/phrases.toml`, English) is ours"
)


@measure("Saying no", "share", _PARK)
def declined(data: RunData) -> float | None:
    """Of the invitations, requests and suggestions, known by their phrases, that somebody was
    addressed with in a conversation, heard, and spoke after, the share whose first answer declines.
    None where nobody was so asked.
    """
    answers = [one.declined for one in find_requests(data) if one.declined is not None]
    return ratio(sum(answers), len(answers))


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
    found = sum(bool(formal.search(straighten(str(event.data["text"])))) for event in said)
    return ratio(found, len(said))
