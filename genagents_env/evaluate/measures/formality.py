"""How formal people are: agents of instruction-tuned models talk like letters."""

from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.phrases import phrases, straight
from genagents_env.evaluate.run_data import RunData


@measure(
    "formality",
    "Formality",
    "share",
    """Of all utterances, the share with a formula of politeness, a greeting in a full sentence or
    a connective of written English, by the phrases `formal`. A proxy: it reads words alone, and
    English alone. None where nothing was said.""",
    "failure named in Park et al. 2023, section 7.2: stiff dialogue, even of husband and wife; the "
    "phrases (`evaluate/phrases.toml`) are ours, in place of the score F of Heylighen and "
    "Dewaele 2002, which needs a tagger",
    "less",
)
def formality(data: RunData) -> float | None:
    """Return the share."""
    formal, said = phrases()["formal"], data.utterances
    found = sum(bool(formal.search(straight(str(event.data["text"])))) for event in said)
    return over(found, len(said))


@measure(
    "contractions",
    "Contractions",
    "share",
    """Of all utterances, the share with a contraction of a verb (I'm, don't, we'll): spoken English
    is full of them, written English is not. None where nothing was said.""",
    "Biber 1988, Variation across Speech and Writing, where contractions mark involved, spoken "
    "styles; the rule by phrases is ours",
)
def contractions(data: RunData) -> float | None:
    """Return the share."""
    short, said = phrases()["contraction"], data.utterances
    found = sum(bool(short.search(straight(str(event.data["text"])))) for event in said)
    return over(found, len(said))
