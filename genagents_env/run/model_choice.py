"""Which people and faculties ask a model of their own, named by the user."""

from collections.abc import Iterable, Mapping

from genagents_env.errors import ConfigError
from genagents_env.name_search import search_people, suggest_names

INTERVIEW = "interview"


def resolve_model_choice(
    chosen: Mapping[str, str], names: Iterable[str], faculties: Iterable[str]
) -> dict[str, str]:
    """Return the models by the whole name of a person who takes part, or by faculty.

    Raises:
        ConfigError: a key is neither, or several people may be meant.
    """
    people, known = list(names), sorted({*faculties, INTERVIEW})
    found: dict[str, str] = {}
    for key, model in chosen.items():
        meant = [key] if key in known else search_people(key, people)
        if len(meant) > 1:
            raise ConfigError(f"model for {key!r}: it may be {', '.join(meant)}; say which")
        if not meant:
            raise ConfigError(
                f"model for {key!r}: nobody is called so, and no faculty of these policies; "
                f"{suggest_names(key, [*people, *known], 'people and faculties')} "
                f"(faculties: {', '.join(known)})"
            )
        if meant[0] in found:
            raise ConfigError(f"model for {key!r}: {meant[0]} has one already")
        found[meant[0]] = model
    return found
