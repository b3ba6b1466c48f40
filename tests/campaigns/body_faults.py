"""Whatever an endpoint sends in place of completions, no run ends finished without any.

Thirty answers that are no completion are played on the third call, on every second one and on
every one. A run that had no completion is paused; once the fault has ended, `resume` brings it to
the hash of a run that met none, as has every run that finished.

Run: `python -m tests.campaigns.body_faults` (90 runs of `tiny`). CI takes a tenth of them.
"""

import argparse
import gzip
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.retries import RetryPolicy
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunResult
from genagents_env.run import resume as resume_run
from genagents_env.run import run as begin_run
from genagents_env.testing.fault_server import (
    FAULTS,
    FaultServer,
    ServerFault,
    embeddings,
    envelope,
    raw,
)
from tests.run.towns import compose_spec, make_options

_GOOD = envelope('{"say": "hello"}')
_GZIP = {"Content-Encoding": "gzip"}
_NAMED = (
    *("malformed", "html", "empty", "null", "null_content", "no_choices", "wrong_types"),
    *("unfinished", "odd_usage", "duplicate_keys", "nan", "huge_int", "deep", "not_utf8"),
    *("bomb", "short", "reset_mid"),
)
BODIES: Mapping[str, ServerFault] = {
    **{name: FAULTS[name] for name in _NAMED},
    "surrogate": ServerFault(
        alter=lambda good: good.replace(b'"content": "', b'"content": "\\ud800')
    ),
    "no_content": ServerFault(status=204, body=b""),
    "accepted": ServerFault(status=202, body=b'{"status": "queued"}'),
    "cut_in_the_words": ServerFault(alter=lambda good: good[: len(good) // 2]),
    "cut_before_the_end": ServerFault(alter=lambda good: good[:-1]),
    "twice": ServerFault(alter=lambda good: good + good),
    "events": raw(b"data: " + _GOOD + b"\n\ndata: [DONE]\n\n"),
    "an_error": raw(b'{"error": {"message": "upstream is away", "code": 502}}'),
    "vectors": raw(embeddings(["tea"])),
    "a_list": raw(b"[" + _GOOD + b"]"),
    "half_a_gzip": ServerFault(headers=_GZIP, body=gzip.compress(_GOOD)[:-12]),
    "no_gzip": ServerFault(headers=_GZIP, body=_GOOD),
    "oversize": raw(b" " * (2 << 20)),
}
CALLS = ("third", "second", "every")  # of which calls the answer is damaged
_SEED = 5
_RETRY = RetryPolicy(base=0.0, cap=0.0)  # as often as usual, without a wait
_MANY = 10_000


@dataclass(frozen=True)
class Trial:
    """One run: the fault, and on which calls."""

    fault: str
    calls: str

    def __str__(self) -> str:
        return f"{self.fault} on {self.calls}"


def list_trials(tenth: bool = False) -> list[Trial]:
    """Return all ninety, or every tenth of them, of each kind some."""
    trials = [Trial(fault, calls) for calls in CALLS for fault in BODIES]
    return trials[::10] if tenth else trials


def try_fault(trial: Trial, folder: Path, clean: str) -> list[str]:
    """Return what went wrong in one run under `trial`, beside the run whose hash is `clean`."""
    path = folder / f"{trial.fault}-{trial.calls}.sqlite"
    fault = BODIES[trial.fault]
    schedule = {3: fault} if trial.calls == "third" else dict.fromkeys(range(2, _MANY, 2), fault)
    always = fault if trial.calls == "every" else None
    with FaultServer({} if always else schedule, always=always) as server:
        # One after the other, so that every second is every second of one call's attempts, too.
        result = _begin(path, server.url, 1 if trial.calls == "second" else 8)
    faults = [] if trial.calls != "every" or result.status == "paused" else ["is not paused"]
    if result.status == "paused":
        if result.exit_code != 75 or "resume" not in result.message:
            faults.append(f"exit {result.exit_code}: {result.message}")
        with FaultServer() as server:
            result = _resume(path, server.url)
    with RunReader(path) as run:
        answered = sum(call.outcome == "reply" for call in run.calls())
    if result.status != "finished":
        faults.append(f"{result.status} after all: {result.message}")
    elif not answered:
        faults.append("finished without a completion")
    elif (found := canonical_hash(path)) != clean:
        faults.append(f"the hash is {found[:12]}, of a run without faults {clean[:12]}")
    return [f"{trial}: {fault}" for fault in faults]


def make_clean_run(folder: Path) -> str:
    """Return the hash of a run that met no fault."""
    with FaultServer() as server:
        _begin(folder / "clean.sqlite", server.url, 8)
    return canonical_hash(folder / "clean.sqlite")


def main(trials: Sequence[Trial]) -> list[str]:
    """Try `trials`; return what went wrong."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        clean = make_clean_run(Path(name))
        for number, trial in enumerate(trials, 1):
            found += try_fault(trial, Path(name), clean)
            print(f"\r{number} of {len(trials)}, {len(found)} wrong", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


def _begin(path: Path, url: str, concurrency: int) -> RunResult:
    spec = compose_spec("tiny", seed=_SEED, policy=PolicySpec("reactive"))
    return begin_run(
        spec, path, make_options(_open(url), retry=_RETRY, concurrency=concurrency), force=True
    )


def _resume(path: Path, url: str) -> RunResult:
    return resume_run(path, make_options(_open(url), retry=_RETRY))


def _open(url: str) -> OpenAIEndpoint:
    return OpenAIEndpoint(url, "no-key", "any-model", attempt_deadline=10.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenth", action="store_true", help="every tenth run, as in CI")
    wrong = main(list_trials(**vars(parser.parse_args())))
    sys.exit("\n".join(wrong) or None)
