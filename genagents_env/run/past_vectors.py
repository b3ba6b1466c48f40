"""A run whose people begin with an earlier one: who may, and the vectors of what they remember."""

from pathlib import Path

from genagents_env.errors import PolicyError
from genagents_env.files import find_inside
from genagents_env.memory.embedder import EmbeddingSource
from genagents_env.memory.vector_file import TextVectors, read_vectors
from genagents_env.record import RunWriter
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.scenario import Scenario

VECTORS = "vectors.npz"  # beside the files of the people


def check_pasts(scenario: Scenario, groups: PolicyGroups) -> None:
    """Raise PolicyError where somebody has a past, and a policy that would not begin with it."""
    lost = [
        person.name
        for person in scenario.people
        if person.past is not None and not groups.has_past(person.name)
    ]
    if lost:
        raise PolicyError(
            f"the policy of {', '.join(lost)} begins with no memories of an earlier run; choose "
            "another one, or leave --memories out"
        )


def put_past_vectors(
    writer: RunWriter, folder: str | Path | None, source: EmbeddingSource | None
) -> str:
    """Keep the vectors of what people remember in a new run, where its embedder made them.

    Returns:
        What people begin with, in a sentence; nothing where they have no past.
    """
    pasts = [person.past for person in writer.meta.scenario.people if person.past is not None]
    if not pasts:
        return ""
    texts = {memory.text for past in pasts for memory in past.memories}
    told = (
        f"{len(pasts)} people begin with {sum(len(past.memories) for past in pasts):,} memories "
        f"of up to {max(past.until for past in pasts):%a %d %b %H:%M}"
    )
    if source is None or not source.stored:
        return told
    kept = _read_kept(folder)
    if kept.model == source.name:
        writer.embeddings.put(kept.model, {t: v for t, v in kept.vectors.items() if t in texts})
        missing = len(texts - kept.vectors.keys())
        why = "had no vector"
    else:
        missing, why = len(texts), f"have vectors by {kept.model or 'nobody'} alone"
    return f"{told}; {missing:,} texts {why} and are embedded by {source.name}" if missing else told


def _read_kept(folder: str | Path | None) -> TextVectors:
    path = None if folder is None else find_inside(Path(folder), VECTORS)
    return TextVectors("") if path is None or not path.exists() else read_vectors(path)
