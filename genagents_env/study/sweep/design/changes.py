"""What the command line says in place of the experiment file, kept with the sweep."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from genagents_env.errors import ConfigError
from genagents_env.record.rows import JSON
from genagents_env.study.sweep.design.endpoint_table import EndpointTable
from genagents_env.study.sweep.design.experiment import Experiment
from genagents_env.study.sweep.design.toml import format_faults

_OF_ENDPOINT = tuple(EndpointTable.model_fields)
CHANGES = (
    *("model", "embedder", "seeds", "hours", "max_tokens", "max_dollars", "max_fallbacks"),
    "concurrency",
    *_OF_ENDPOINT,
)


def apply_changes(experiment: Experiment, changes: Mapping[str, JSON]) -> Experiment:
    """Return `experiment` with these changes.

    Args:
        experiment: as its file says.
        changes: by name. `model` also replaces the factor of models; `max_tokens` and
            `max_dollars` are of the budget of all runs together, the keys of `[endpoint]` of that
            table. None is no change.

    Raises:
        ConfigError: an unknown change, or a value that is not allowed.
    """
    given = check_changes(changes)
    data = {key: getattr(experiment, key) for key in experiment.model_fields_set}
    total = {f"max_{kind}": kind for kind in ("tokens", "dollars")}
    limits = {kind: given.pop(key) for key, kind in total.items() if key in given}
    endpoint = {key: given.pop(key) for key in _OF_ENDPOINT if key in given}
    try:
        if limits:
            own = experiment.budget.total.model_dump() | limits
            data["budget"] = {"run": experiment.budget.run, "total": own}
        if endpoint:
            data["endpoint"] = experiment.endpoint.model_dump(exclude_unset=True) | endpoint
        if "model" in given:
            data["factors"] = tuple(one for one in experiment.factors if one.key != "model")
            data.pop("only", None)
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
