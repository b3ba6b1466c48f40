"""The options of a policy, read into a type of its own."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from genagents_env.errors import ConfigError

Options = TypeVar("Options", bound=BaseModel)


def read_options(model: type[Options], fields: Mapping[str, object], policy: str) -> Options:
    """Return a policy's options with these fields set.

    Args:
        model: what the options are.
        fields: by name, as they came from a caller or the command line.
        policy: the policy's name, for the error.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """
    try:
        return model(**fields)
    except ValidationError as fault:
        lines = (
            f"{'.'.join(map(str, error['loc'])) or 'options'}: {error['msg']}"
            for error in fault.errors()
        )
        known = ", ".join(model.model_fields)
        raise ConfigError(f"{policy}: {'; '.join(lines)}; options: {known}") from None
