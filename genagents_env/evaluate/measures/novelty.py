"""Whether what is said is new: variety of words, and repeating oneself or the other."""

from genagents_env.evaluate.measures.measure import measure
from genagents_env.evaluate.novelty import distinct, diversity, echoes, repeats
from genagents_env.evaluate.run_data import RunData

_LI = "Li et al. 2016, A Diversity-Promoting Objective Function for Neural Conversation Models"
_MTLD = "McCarthy and Jarvis 2010, with their threshold of 0.72"


@measure(
    "distinct_1",
    "Distinct words",
    "share",
    """Different words over all words said in the run. It falls with the amount said, so compare
    runs that say about as much. None where no word was said.""",
    _LI,
    "more",
)
def distinct_1(data: RunData) -> float | None:
    """Return the share."""
    return distinct(data, 1)


@measure(
    "distinct_2",
    "Distinct pairs of words",
    "share",
    """Different pairs of neighbouring words within an utterance over all such pairs said in the
    run. It falls with the amount said. None where no utterance has two words.""",
    _LI,
    "more",
)
def distinct_2(data: RunData) -> float | None:
    """Return the share."""
    return distinct(data, 2)


@measure(
    "lexical_diversity",
    "Lexical diversity (MTLD)",
    "words",
    """The mean length of stretches of speech over which the share of different words stays above
    0.72, all utterances of the run one after the other, read forwards and backwards. It hardly
    depends on the amount said. None below 50 words.""",
    _MTLD,
    "more",
)
def lexical_diversity(data: RunData) -> float | None:
    """Return the mean length."""
    return diversity(data)


@measure(
    "self_repetition",
    "Repeating oneself",
    "share",
    """Of the utterances with three words or more by agents who spoke so before, the share of
    which at least half of the runs of three words were said by the same agent before. None without
    such an utterance.""",
    "after the n-gram overlaps of See et al. 2019, What makes a good conversation?, section 4; "
    "the threshold is ours",
    "less",
)
def self_repetition(data: RunData) -> float | None:
    """Return the share."""
    return repeats(data)


@measure(
    "echo",
    "Echoing the other",
    "share",
    """Of the utterances in conversations that follow one of another member and have three words
    or more, the share of which at least half of the runs of three words stood in what the others
    had said in it. None without such an utterance.""",
    "after the n-gram overlaps of See et al. 2019, What makes a good conversation?, section 4; "
    "the threshold is ours",
    "less",
)
def echo(data: RunData) -> float | None:
    """Return the share."""
    return echoes(data)
