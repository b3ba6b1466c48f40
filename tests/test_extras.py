import json
import sys
from pathlib import Path

import pytest

from genagents_env import extras
from genagents_env.errors import ConfigError
from genagents_env.extras import EXTRAS, format_install_command, list_missing_modules
from genagents_env.llm.open import open_endpoint

CLONE = json.dumps({"url": "file:///somewhere/clone", "dir_info": {"editable": True}})
WHEEL = json.dumps({"url": "file:///tmp/genagents_env-1-py3-none-any.whl", "archive_info": {}})


class Installed:
    """What an installer left beside the package."""

    def __init__(self, **files: str) -> None:
        self.files = files

    def read_text(self, name: str) -> str | None:
        return self.files.get(name.partition(".")[0])


@pytest.mark.parametrize(
    ("files", "prefix", "command"),
    [
        ({"INSTALLER": "pip\n"}, "/v", 'pip install "genagents-env[lab]"'),
        ({"direct_url": WHEEL}, "/v", 'pip install "genagents-env[lab]"'),
        ({"direct_url": CLONE}, "/v", 'pip install -e ".[lab]" in the folder of the clone'),
        ({"INSTALLER": "uv"}, "/v", 'uv pip install "genagents-env[lab]"'),
        ({}, "/h/.local/pipx/venvs/g", 'pipx install --force "genagents-env[lab]"'),
        ({}, "/h/.local/share/uv/tools/g", 'uv tool install --force "genagents-env[lab]"'),
        ({"direct_url": "nonsense"}, "/v", 'pip install "genagents-env[lab]"'),
    ],
)
def test_an_extra_is_suggested_in_words_that_fit_the_installation(
    files: dict[str, str], prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "distribution", lambda name: Installed(**files))
    monkeypatch.setattr(sys, "prefix", prefix)
    assert format_install_command("lab") == command


def test_nothing_else_in_the_package_says_how_to_install() -> None:
    package = Path(extras.__file__).parent
    files = [*package.rglob("*.py"), *(package.parent / "policies").rglob("*.py")]
    assert {f.name for f in files if "pip install" in f.read_text("utf-8")} == {"extras.py"}


def test_what_is_missing_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert list_missing_modules("cluster") == ["ray"]
    assert set(EXTRAS) == {"local", "pictures", "lab", "tiled", "cluster", "train"}


@pytest.mark.parametrize("model", ["models/mine.gguf", None])
def test_a_model_file_without_the_extra_is_told_what_is_missing(
    model: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ConfigError) as told:
        open_endpoint(model)
    assert str(told.value).startswith(f"{model or 'the default model'} would run in this process")
    assert format_install_command("local") in str(told.value)
    assert "--model path.gguf" not in str(told.value)  # which is what was asked for
