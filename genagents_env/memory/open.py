"""Opens the source of embeddings that `--embedder` names."""

from genagents_env.errors import ConfigError
from genagents_env.llm.open import DEFAULT_BASE_URL, read_endpoint_variables
from genagents_env.memory.embedder import EmbeddingSource

_ALLOWED = "local, hashed, hashed:WIDTH (1 to 65536) or endpoint:MODEL"
_WIDEST = 65536


def open_source(name: str | None = None) -> EmbeddingSource:
    """Return the source called `name`; the caller closes it (`aclose`).

    Args:
        name: `local`, or None, is the sentence model in this process; `hashed` or `hashed:512`
            counts n-grams, without meaning and without files; `endpoint:MODEL` is a model of the
            endpoint in OPENAI_BASE_URL and OPENAI_API_KEY.

    Raises:
        ConfigError: another name, or the source lacks a package, a file or an endpoint.
    """
    kind, colon, rest = (name if name is not None else "local").partition(":")
    if kind == "local" and not colon:
        from genagents_env.memory.local import LocalSource

        return LocalSource()
    if kind == "hashed":
        from genagents_env.memory.embed import HashedSource

        if not colon:
            return HashedSource()
        if rest.isascii() and rest.isdigit() and len(rest) < 6 and 1 <= int(rest) <= _WIDEST:
            return HashedSource(int(rest))
    if kind == "endpoint" and rest:
        return _open_endpoint_source(rest)
    raise ConfigError(f"embedder {name!r}: expected {_ALLOWED}")


def _open_endpoint_source(model: str) -> EmbeddingSource:
    base_url, api_key = read_endpoint_variables()
    if not (base_url or api_key):
        raise ConfigError(
            f"embeddings by {model!r} need an endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL "
            "for a server of your own; or use `--embedder local` or `--embedder hashed`"
        )
    from genagents_env.memory.endpoint import EndpointSource

    return EndpointSource(base_url or DEFAULT_BASE_URL, api_key, model)
