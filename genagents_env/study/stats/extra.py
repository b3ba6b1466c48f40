"""Libraries of the extra `lab`, imported when they are needed."""

from importlib import import_module
from types import ModuleType

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command


def import_extra(module: str) -> ModuleType:
    """Return `module`, which the extra `lab` brings.

    Raises:
        ConfigError: it is not installed; the message says how to.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = module.partition(".")[0]
        raise ConfigError(f"{missing} is not installed: {format_install_command('lab')}") from error
