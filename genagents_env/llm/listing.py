"""What a model server lists: its models, and how long their prompts may be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx2

from genagents_env.llm.transport import describe_failure
from genagents_env.text import clean

_SECONDS = 5.0
_NAME = 200  # characters
_REFUSED = (401, 403)
_CONTEXT = ("max_model_len", "context_length", "context_window", "max_context_length")


@dataclass(frozen=True, slots=True)
class ModelListing:
    """How a server answered when asked for its models.

    Attributes:
        problem: why there is no list; empty where there is one.
        reachable: whether anything answered.
        key_refused: whether it refused the key.
        models: by name the tokens of prompt and reply together, None where it does not tell.
    """

    problem: str = ""
    reachable: bool = True
    key_refused: bool = False
    models: Mapping[str, int | None] | None = None


def list_models(base_url: str, api_key: str) -> ModelListing:
    """Return what the server at `base_url` lists, asked within five seconds."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        answer = httpx2.get(
            f"{base_url.rstrip('/')}/models",
            headers=headers,
            timeout=_SECONDS,
            follow_redirects=False,
        )
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as failure:
        return ModelListing(describe_failure(failure), reachable=False)
    if answer.status_code in _REFUSED:
        return ModelListing(f"status {answer.status_code}", key_refused=True)
    try:
        found = dict(_read_entries(answer.raise_for_status().json()["data"]))
    except httpx2.HTTPError:
        return ModelListing(f"status {answer.status_code}")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ModelListing("what answers is no list of models")
    return ModelListing(models=found)


def _read_entries(data: object) -> Iterator[tuple[str, int | None]]:
    if not isinstance(data, list):
        raise TypeError("no list")
    for entry in data:
        name = clean(entry["id"], _NAME)
        told = [entry.get(key) for key in _CONTEXT]
        told.append((entry.get("meta") or {}).get("n_ctx_train"))
        lengths = [value for value in told if type(value) is int and value > 0]
        yield name, lengths[0] if lengths else None
