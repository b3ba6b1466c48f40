"""What the command line says in place of the experiment file, kept with the sweep."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from genagents_env.errors import ConfigError
from genagents_env.record.rows import JSON
from genagents_env.sweep.design.endpoint_table import EndpointTable
from genagents_env.sweep.design.experiment import Experiment
from genagents_env.sweep.design.toml import format_faults

_OF_ENDPOINT = tuple(EndpointTable.model_fields)
CHANGES = (
    *("model", "embedder", "seeds", "hours", "max_tokens", "max_dollars", "max_fallbacks"),
    *_OF_ENDPOINT,
)
_OF_RUNS = ("model", "seeds", "hours")  # what entries of [[runs]] may say otherwise


def apply_changes(experiment: Experiment, changes: Mapping[str, JSON]) -> Experiment:
    """Return `experiment` with these changes.

    Args:
        experiment: as its file says.
        changes: by name. `model` also replaces several models, `model`, `seeds` and
            `hours` in place of what entries of `[[runs]]` say; `max_tokens` and `max_dollars`
            are of the budget of all runs together, the keys of `[endpoint]` of that table. None
            is no change.

    Raises:
        ConfigError: an unknown change, or a value that is not allowed.
    """
    given = check_changes(changes)
    data = experiment.model_dump(exclude_unset=True)
    total = dict(data.get("budget", {}).get("total", {}))
    for kind in ("tokens", "dollars"):
        if f"max_{kind}" in given:
            total[kind] = given.pop(f"max_{kind}")
            data["budget"] = {**data.get("budget", {}), "total": total}
    endpoint = {key: given.pop(key) for key in _OF_ENDPOINT if key in given}
    if endpoint:
        data["endpoint"] = {**data.get("endpoint", {}), **endpoint}
    if "model" in given:
        data.pop("models", None)
    hidden = [key for key in _OF_RUNS if key in given]
    runs = data.get("runs", ())
    data["runs"] = [{k: v for k, v in run.items() if k not in hidden} for run in runs]
    try:
        return Experiment.model_validate({**data, **given})
    except ValidationError as error:
        raise ConfigError("\n".join(format_faults(error, Experiment))) from None


def check_changes(changes: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the changes that are any, the path of a model's file absolute.

    Raises:
        ConfigError: an unknown one.
    """
    unknown = [key for key in changes if key not in CHANGES]
    if unknown:
        raise ConfigError(f"change {unknown[0]!r}: unknown; allowed: {', '.join(CHANGES)}")
    given = {key: value for key, value in changes.items() if value is not None}
    model = given.get("model")
    if isinstance(model, str) and model.endswith(".gguf") and Path(model).is_file():
        given["model"] = str(Path(model).resolve())
    return given
