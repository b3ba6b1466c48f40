"""How people speak: how new their words are, whether they decline, and how formal they are.

Words are those of `talk.split_words`; an n-gram never spans two utterances. Agents of
instruction-tuned models hardly ever say no, and talk like letters.

An utterance asks if it holds a phrase of `ask` in `phrases.toml` and somebody it addresses hears
it. The answer is the first utterance, in the same conversation and after it, of each of these. It
declines with a phrase of `decline`. Whoever says no to what nobody asked is not counted.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.talk import split_words
from genagents_env.study.evaluate.phrases import load_phrases, straighten
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event

Ngram = tuple[str, ...]

_MTLD = "McCarthy and Jarvis 2010, with their threshold of 0.72"
_SEE = (
    "after the n-gram overlaps of See et al. 2019, What makes a good conversation?, section 4; "
    "the threshold is ours"
)
_PARK = (
    "failure named in Park et al. 2023, section 7.2: Isabella took up every suggestion of others; "
    "the rule by phrases (`evaluate/phrases.toml`, English) is ours"
)


RUN = 3  # words
HALF = 0.5
THRESHOLD, LEAST = 0.72, 50  # of MTLD, and the fewest words of which it is computed


def list_ngrams(words: Sequence[str], n: int) -> list[Ngram]:
    """Return the n-grams of `words`, in order."""
    return [tuple(words[k : k + n]) for k in range(len(words) - n + 1)]


def compute_mtld(words: Sequence[str]) -> float:
    """Return the measure of textual lexical diversity of at least one word.

    Source: McCarthy and Jarvis 2010. The rest behind the last full stretch counts as the part of
    a stretch that it has come to. Where not even a part has, the length of the whole is given.
    """
    factors = [_count_factors(words), _count_factors(words[::-1])]
    lengths = [len(words) / one if one else float(len(words)) for one in factors]
    return sum(lengths) / 2


def _count_factors(words: Sequence[str]) -> float:
    factors, seen, length = 0.0, set[str](), 0
    for word in words:
        seen.add(word)
        length += 1
        if len(seen) / length <= THRESHOLD:
            factors, seen, length = factors + 1, set(), 0
    if length:
        factors += (1 - len(seen) / length) / (1 - THRESHOLD)
    return factors


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


@measure(
    "Distinct pairs of words",
    "share",
    "Li et al. 2016, A Diversity-Promoting Objective Function for Neural Conversation Models",
)
def distinct_2(data: RunData) -> float | None:
    """Different pairs of neighbouring words within an utterance over all such pairs said in the
    run. It falls with the amount said. None where no utterance has two words.
    """
    said = (split_words(event.data["text"]) for event in data.utterances)
    found = [pair for words in said for pair in list_ngrams(words, 2)]
    return ratio(len(set(found)), len(found))


@measure("Lexical diversity (MTLD)", "words", _MTLD)
def lexical_diversity(data: RunData) -> float | None:
    """The mean length of stretches of speech over which the share of different words stays above
    0.72, all utterances of the run one after the other, read forwards and backwards. It hardly
    depends on the amount said. None below 50 words.
    """
    words = [word for event in data.utterances for word in split_words(event.data["text"])]
    return compute_mtld(words) if len(words) >= LEAST else None


@measure("Repeating oneself", "share", _SEE)
def self_repetition(data: RunData) -> float | None:
    """Of the utterances with three words or more by agents who spoke so before, the share of which
    at least half of the runs of three words were said by the same agent before. None without such
    an utterance.
    """
    before: dict[str, set[Ngram]] = {}
    told: list[bool] = []
    for event, own in _list_runs(data):
        known = before.setdefault(event.agent or "", set())
        if own and known:
            told.append(_is_mostly_known(own, known))
        known.update(own)
    return ratio(sum(told), len(told))


@measure("Echoing the other", "share", _SEE)
def echo(data: RunData) -> float | None:
    """Of the utterances in conversations that follow one of another member and have three words or
    more, the share of which at least half of the runs of three words stood in what the others had
    said in it. None without such an utterance.
    """
    said: dict[int, dict[str, set[Ngram]]] = {}
    last: dict[int, str] = {}
    told: list[bool] = []
    for event, own in _list_runs(data):
        conversation, agent = event.data["conversation"], event.agent or ""
        if conversation is None:
            continue
        here = said.setdefault(conversation, {})
        if own and last.get(conversation, agent) != agent:
            others = [heard for name, heard in here.items() if name != agent]
            told.append(_is_mostly_known(own, set().union(*others)))
        here.setdefault(agent, set()).update(own)
        last[conversation] = agent
    return ratio(sum(told), len(told))


def _list_runs(data: RunData) -> Iterator[tuple[Event, list[Ngram]]]:
    for event in data.utterances:
        yield event, list_ngrams(split_words(event.data["text"]), RUN)


def _is_mostly_known(own: Sequence[Ngram], known: set[Ngram]) -> bool:
    return sum(gram in known for gram in own) >= HALF * len(own)


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
