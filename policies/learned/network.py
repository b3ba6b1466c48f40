"""The network of a learned policy: its weights in a file, and what it makes of observations.

A file is a zip of plain arrays (numpy's `npz`), read without pickle: `weight_0`, `bias_0` and so
on, and `about`, a JSON text. `about.columns` tells which columns and choices it was trained with,
so that weights of an earlier version are refused and never misread.
"""

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.errors import ConfigError
from genagents_env.files import read_file, replace_file
from genagents_env.observe.columns import describe_columns
from genagents_env.observe.portable_menu import list_portable_choices

Doubles = npt.NDArray[np.float64]
_FORMAT = 1
_LIMIT = 64_000_000  # bytes of a file, and of its arrays


@dataclass(frozen=True)
class Network:
    """Fully connected layers with tanh between them, from an observation to one logit a choice.

    Attributes:
        weights: of each layer, shape (inputs, outputs).
        biases: of each layer, shape (outputs,).
        digest: of the file, by which it is known again.
        about: what the file says of itself: how it was trained.
    """

    weights: tuple[Doubles, ...]
    biases: tuple[Doubles, ...]
    digest: str
    about: Mapping[str, object]

    @property
    def inputs(self) -> int:
        """How many numbers of an observation it reads."""
        return int(self.weights[0].shape[0])

    @property
    def choices(self) -> int:
        """How many choices it knows."""
        return int(self.biases[-1].shape[0])

    def compute_logits(self, observations: npt.ArrayLike) -> Doubles:
        """Return a logit for each choice, shape (N, choices).

        In float64, so that sums of another order decide otherwise as rarely as can be.

        Args:
            observations: shape (N, inputs).
        """
        out = np.asarray(observations, dtype=np.float64)
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            out = (np.tanh(out) if k else out) @ weight + bias
        return out


def digest_meaning() -> str:
    """Compute the digest of columns and choices, by which those of the training are recognized."""
    names = [column.name for column in describe_columns("portable")]
    names += [" ".join(map(str, choice)) for choice in list_portable_choices()]
    return blake2b(json.dumps(names).encode(), digest_size=8).hexdigest()


def save_network(
    path: Path,
    layers: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
    about: Mapping[str, object],
) -> None:
    """Write weights, so that `load_network` reads them.

    Args:
        path: ending in `.npz`.
        layers: weights, shape (inputs, outputs), and biases of each.
        about: how they were trained; JSON values.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for k, (weight, bias) in enumerate(layers):
        arrays[f"weight_{k}"] = np.asarray(weight, dtype=np.float32)
        arrays[f"bias_{k}"] = np.asarray(bias, dtype=np.float32)
    told = {"format": _FORMAT, "columns": digest_meaning(), **about}
    arrays["about"] = np.array(json.dumps(told))
    with replace_file(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub: a flag of its own


def load_network(path: Path, inputs: int, choices: int) -> Network:
    """Return the network of a file.

    Args:
        path: written by `save_network`.
        inputs: numbers of an observation in this version.
        choices: of the menu in this version.

    Raises:
        FileError: it cannot be read.
        ConfigError: it is no such file, or its weights do not fit this version.
    """
    arrays, digest = _read_arrays(path)
    try:
        about = json.loads(str(arrays["about"]))
        layers = sum(name.startswith("weight_") for name in arrays)
        weights = tuple(arrays[f"weight_{k}"].astype(np.float64) for k in range(layers))
        biases = tuple(arrays[f"bias_{k}"].astype(np.float64) for k in range(layers))
        known = about["format"], about["columns"]
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"weights: {path} is no file of save_network ({error})") from None
    _check_layers(path, weights, biases)
    network = Network(weights, biases, digest, about)
    if (network.inputs, network.choices) != (inputs, choices):
        raise ConfigError(
            f"weights: {path} reads {network.inputs} numbers and knows {network.choices} choices; "
            f"here an observation has {inputs} and the menu {choices}; train it anew"
        )
    if known != (_FORMAT, digest_meaning()):
        raise ConfigError(
            f"weights: {path} was trained on observations and choices that meant other things; "
            "train it anew"
        )
    return network


def _read_arrays(path: Path) -> tuple[dict[str, npt.NDArray[np.generic]], str]:
    data = read_file(path, _LIMIT)
    digest = blake2b(data, digest_size=8).hexdigest()
    try:
        with zipfile.ZipFile(BytesIO(data)) as packed:
            if sum(part.file_size for part in packed.infolist()) > _LIMIT:
                raise ConfigError(f"weights: {path} unpacks to more than {_LIMIT:,} bytes")
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}, digest
    except (ValueError, OSError, EOFError, NotImplementedError, zipfile.BadZipFile) as error:
        raise ConfigError(f"weights: {path} is no file of plain arrays ({error})") from None


def _check_layers(path: Path, weights: Sequence[Doubles], biases: Sequence[Doubles]) -> None:
    """Raise where layers do not follow one another, or hold what is no number."""
    ends = [weight.shape[1] if weight.ndim == 2 else -1 for weight in weights]
    begins = [weight.shape[0] for weight in weights if weight.ndim == 2]
    fit = bool(weights) and ends == [*begins[1:], ends[-1]] and -1 not in ends
    if not fit or [bias.shape for bias in biases] != [(end,) for end in ends]:
        told = ", ".join(f"{w.shape} + {b.shape}" for w, b in zip(weights, biases, strict=True))
        raise ConfigError(f"weights: the layers of {path} do not fit one another: {told or 'none'}")
    if not all(np.isfinite(part).all() for part in (*weights, *biases)):
        raise ConfigError(f"weights: {path} holds numbers that are not finite")
