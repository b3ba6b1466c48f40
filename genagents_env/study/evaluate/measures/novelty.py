"""How new words are: distinct n-grams, MTLD, and runs of words said before.

Words are those of `talk.split_words`; an n-gram never spans two utterances.
"""

from collections.abc import Sequence

from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.measures.talk import split_words
from genagents_env.study.evaluate.run_data import RunData

Ngram = tuple[str, ...]

_MTLD = "McCarthy and Jarvis 2010, with their threshold of 0.72"
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


@measure(
    "Distinct pairs of words",
    "share",
    "Li et al. 2016, A Diversity-Promoting Objective Function for Neural Conversation Models",
)
def distinct_2(data: RunData) -> float | None:
    """Different pairs of neighbouring words within an utterance over all such pairs said in the
    run. It falls with the amount said. None where no utterance has two words.
    """
    found = [pair for words in _list_words(data) for pair in list_ngrams(words, 2)]
    return len(set(found)) / len(found) if found else None


@measure("Lexical diversity (MTLD)", "words", _MTLD)
def lexical_diversity(data: RunData) -> float | None:
    """The mean length of stretches of speech over which the share of different words stays above
    0.72, all utterances of the run one after the other, read forwards and backwards. It hardly
    depends on the amount said. None below 50 words.
    """
    words = [word for words in _list_words(data) for word in words]
    return compute_mtld(words) if len(words) >= LEAST else None


@measure(
    "Repeating oneself",
    "share",
    "after the n-gram overlaps of See et al. 2019, What makes a good conversation?, section 4; "
    "the threshold is ours",
)
def self_repetition(data: RunData) -> float | None:
    """Of the utterances with three words or more by agents who spoke so before, the share of which
    at least half of the runs of three words were said by the same agent before. None without such
    an utterance.
    """
    before: dict[str, set[Ngram]] = {}
    told: list[bool] = []
    for event, words in zip(data.utterances, _list_words(data), strict=True):
        own = list_ngrams(words, RUN)
        known = before.setdefault(event.agent or "", set())
        if own and known:
            told.append(_is_mostly_known(own, known))
        known.update(own)
    return sum(told) / len(told) if told else None


@measure(
    "Echoing the other",
    "share",
    "after the n-gram overlaps of See et al. 2019, What makes a good conversation?, section 4; "
    "the threshold is ours",
)
def echo(data: RunData) -> float | None:
    """Of the utterances in conversations that follow one of another member and have three words or
    more, the share of which at least half of the runs of three words stood in what the others had
    said in it. None without such an utterance.
    """
    said: dict[int, dict[str, set[Ngram]]] = {}
    last: dict[int, str | None] = {}
    told: list[bool] = []
    for event, words in zip(data.utterances, _list_words(data), strict=True):
        conversation, agent = event.data["conversation"], event.agent or ""
        if conversation is None:
            continue
        here, own = said.setdefault(conversation, {}), list_ngrams(words, RUN)
        if own and last.get(conversation, agent) != agent:
            others = [heard for name, heard in here.items() if name != agent]
            told.append(_is_mostly_known(own, set().union(*others)))
        here.setdefault(agent, set()).update(own)
        last[conversation] = agent
    return sum(told) / len(told) if told else None


def _list_words(data: RunData) -> list[list[str]]:
    return [split_words(str(event.data["text"])) for event in data.utterances]


def _is_mostly_known(own: Sequence[Ngram], known: set[Ngram]) -> bool:
    return sum(gram in known for gram in own) >= HALF * len(own)


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
