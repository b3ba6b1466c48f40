"""What the results of a sweep were made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

from genagents_env import __version__

_LIBRARIES = ("numpy", "scipy", "pydantic", "pettingzoo", "joblib", "xllamacpp", "onnxruntime")


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of those libraries that are installed."""
    told = {"genagents-env": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            told[library] = version(library)
        except PackageNotFoundError:
            continue
    return told
