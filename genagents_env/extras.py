"""The optional parts of the package: which are installed, and the command that installs one."""

import json
import sys
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "genagents-env"
# For each extra the modules it brings that something here cannot do without.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "local": ("xllamacpp", "onnxruntime", "tokenizers"),
    "pictures": ("matplotlib", "imageio_ffmpeg"),
    "lab": ("statsmodels", "openskill", "pandas", "pyarrow", "matplotlib"),
    "tiled": ("pytiled_parser",),
    "cluster": ("ray",),
    "train": ("torch", "stable_baselines3", "sb3_contrib"),
}


def list_missing_modules(extra: str) -> list[str]:
    """Return the modules of `extra` that are not installed here."""
    return [name for name in EXTRAS[extra] if not _is_installed(name)]


def _is_installed(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and spec.origin is not None  # any folder of that name is a namespace


def format_install_command(extra: str) -> str:
    """Return the command that installs `extra` beside the package, however that came here.

    A clone that was installed as it stands (`-e`) is installed again from its folder; what pipx
    or uv manage, by these.
    """
    try:
        installed: Distribution | None = distribution(NAME)
    except PackageNotFoundError:  # run from its folder
        installed = None
    folder = _find_clone(installed)
    what = f'-e ".[{extra}]"' if folder is not None else f'"{NAME}[{extra}]"'
    where = "" if folder in (None, Path.cwd()) else " in the folder of the clone"
    return f"{_find_tool(installed)} {what}{where}"


def _find_tool(installed: Distribution | None) -> str:
    environment = Path(sys.prefix).as_posix()
    if "/pipx/venvs/" in environment:
        return "pipx install --force"
    if "/uv/tools/" in environment:
        return "uv tool install --force"
    tool = (installed.read_text("INSTALLER") or "").strip() if installed is not None else "pip"
    return "uv pip install" if tool == "uv" else "pip install"


def _find_clone(installed: Distribution | None) -> Path | None:
    """Return the folder of an editable installation; None of any other."""
    if installed is None:
        folder = Path(__file__).parents[1]
        return folder if (folder / "pyproject.toml").is_file() else None
    try:
        origin = json.loads(installed.read_text("direct_url.json") or "{}")
        editable = origin.get("dir_info", {}).get("editable", False)
        folder = Path(unquote(urlsplit(origin["url"]).path))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return folder if editable else None
