"""What a person remembers at the start."""

from genagents_env.scenario.past import PastMemory
from genagents_env.scenario.schema import Person
from genagents_env.text import split_sentences


def first_memories(person: Person) -> tuple[str, ...]:
    """Return the first memories: sentences of `persona` and `currently`, then `memories`.

    Those with a time are not among them (`list_dated_memories` has them), nor are recent memories:
    they belong to the day before, and the mind that uses them decides how old they are.
    """
    undated = (memory for memory in person.memories if isinstance(memory, str))
    parts = (*split_sentences(person.persona), *split_sentences(person.currently), *undated)
    return tuple(text for text in parts if text)


def list_dated_memories(person: Person) -> tuple[PastMemory, ...]:
    """Return the memories that have a time, in order."""
    return tuple(memory for memory in person.memories if isinstance(memory, PastMemory))
