"""What a person remembers at the start."""

from genagents_env.scenario.schema import Person


def first_memories(person: Person) -> tuple[str, ...]:
    """Return the first memories: `persona` split at semicolons, then `memories`; no empty ones.

    Recent memories are not among them: they belong to the day before, and the mind that uses them
    decides how old they are.
    """
    parts = [part.strip() for part in person.persona.split(";")]
    return tuple(text for text in (*parts, *person.memories) if text)
