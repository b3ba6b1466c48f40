"""From which similarity on words for the state of a thing are taken to mean one that it allows.

Run: `python -m benchmarks.state_words`. It prints, for the sentence model and for n-grams, how many
of twenty wordings of a state are mapped right and wrong at each bound, and how many of ten that
mean no state are mapped all the same. `LIKE` in `policies/smallville/places.py` rests on it.
"""

import asyncio

from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source

BOUNDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
# What is said, what it means, what the thing allows.
MEANT: list[tuple[str, str, list[str]]] = [
    ("turned on", "on", ["off", "on"]),
    ("a cake in it", "baking", ["off", "baking"]),
    ("baking cookies", "baking", ["off", "baking"]),
    ("brewing coffee", "brewing", ["off", "heating", "brewing", "clean"]),
    ("showing a party note", "with a notice", ["blank", "with a notice", "full"]),
    ("with the party invitation on it", "with a notice", ["blank", "with a notice", "full"]),
    ("decorated for the party", "hung up", ["in their box", "laid out", "hung up"]),
    ("set for dinner", "laid", ["bare", "laid", "in use"]),
    ("someone sitting on it", "taken", ["free", "taken"]),
    ("occupied", "taken", ["free", "taken"]),
    ("someone is playing it", "being played", ["silent", "being played"]),
    ("being used for homework", "in use", ["tidy", "in use", "cluttered"]),
    ("covered in books", "cluttered", ["tidy", "in use", "cluttered"]),
    ("serving guests", "being served at", ["clear", "being served at", "crowded"]),
    ("wiped clean", "clear", ["clear", "being served at", "crowded"]),
    ("water running", "running", ["off", "running"]),
    ("cooking soup", "food cooking", ["off", "on", "food cooking"]),
    ("with formulas on it", "covered in formulas", ["blank", "covered in formulas"]),
    ("dirty dishes in it", "full of dishes", ["clean", "running", "full of dishes"]),
    ("opened", "open", ["closed", "open", "empty"]),
]
# What means no state of the thing.
STRANGE: list[tuple[str, list[str]]] = [
    ("full of flowers", ["off", "on"]),
    ("painted blue", ["off", "baking"]),
    ("singing", ["free", "taken"]),
    ("on fire", ["tidy", "in use", "cluttered"]),
    ("sold to a friend", ["closed", "open", "empty"]),
    ("asleep", ["blank", "with a notice", "full"]),
    ("broken", ["silent", "being played"]),
    ("moved upstairs", ["bare", "laid", "in use"]),
    ("angry", ["clear", "being served at", "crowded"]),
    ("a love letter", ["off", "running"]),
]


async def find_nearest(embedder: Embedder, said: str, allowed: list[str]) -> tuple[float, str]:
    """Return the state nearest to the words, and how near it is."""
    vectors = await embedder.embed([said, *allowed])
    scores = (vectors[1:] @ vectors[0]).tolist()
    return max(zip(scores, allowed, strict=True))


async def compare(name: str | None) -> None:
    """Print what each bound lets pass with one source of embeddings."""
    embedder = Embedder(open_source(name))
    meant = [(await find_nearest(embedder, said, states), want) for said, want, states in MEANT]
    strange = [(await find_nearest(embedder, said, states))[0] for said, states in STRANGE]
    print(embedder.name)
    for bound in BOUNDS:
        taken = [found == want for (score, found), want in meant if score >= bound]
        others = sum(score >= bound for score in strange)
        print(
            f"  {bound:.2f}: {sum(taken)} right, {len(taken) - sum(taken)} wrong of {len(meant)}; "
            f"{others} of {len(strange)} that mean none"
        )


def main() -> None:
    """Compare the sources."""
    for name in (None, "hashed"):
        asyncio.run(compare(name))


if __name__ == "__main__":
    main()
