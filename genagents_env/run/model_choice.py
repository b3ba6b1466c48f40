"""Which people and faculties ask a model of their own: named by the user, checked by name."""

from collections.abc import Iterable, Mapping

from genagents_env.errors import ConfigError

INTERVIEW = "interview"


def check_model_choice(
    chosen: Mapping[str, str], names: Iterable[str], faculties: Iterable[str]
) -> None:
    """Raise unless every key is a person who takes part, or a faculty of their policies.

    Raises:
        ConfigError: a key is neither; the message lists what there is.
    """
    people, known = list(names), sorted({*faculties, INTERVIEW})
    for key in chosen:
        if key not in people and key not in known:
            raise ConfigError(
                f"model for {key!r}: nobody is called so, and no faculty of these policies; "
                f"people: {', '.join(people)}; faculties: {', '.join(known)}"
            )
