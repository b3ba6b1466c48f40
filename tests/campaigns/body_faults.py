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
from collections.abc import Mapping
from pathlib import Path

from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.retries import RetryPolicy
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, resume, run
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
RETRY = RetryPolicy(base=0.0, cap=0.0)  # as often as usual, without a wait
SPEC = compose_spec("tiny", seed=5, policy=PolicySpec("reactive"))


def list_trials(tenth: bool = False) -> list[tuple[str, str]]:
    """Return all ninety pairs of fault and calls, or every tenth of them, of each kind some."""
    trials = [(fault, calls) for calls in CALLS for fault in BODIES]
    return trials[::10] if tenth else trials


def make_how(server: FaultServer, concurrency: int = 8) -> RunOptions:
    endpoint = OpenAIEndpoint(server.url, "no-key", "any-model", attempt_deadline=10.0)
    return make_options(endpoint, retry=RETRY, concurrency=concurrency)


def try_fault(name: str, calls: str, folder: Path, clean: str) -> list[str]:
    """Return what went wrong in one run under a fault, beside the run whose hash is `clean`."""
    path, fault = folder / f"{name}-{calls}.sqlite", BODIES[name]
    schedule = {3: fault} if calls == "third" else dict.fromkeys(range(2, 10_000, 2), fault)
    always = fault if calls == "every" else None
    with FaultServer({} if always else schedule, always=always) as server:
        # One after the other, so that every second is every second of one call's attempts, too.
        result = run(SPEC, path, make_how(server, 1 if calls == "second" else 8), force=True)
    faults = [] if calls != "every" or result.status == "paused" else ["is not paused"]
    if result.status == "paused":
        if result.exit_code != 75 or "resume" not in result.message:
            faults.append(f"exit {result.exit_code}: {result.message}")
        with FaultServer() as server:
            result = resume(path, make_how(server))
    with RunReader(path) as record:
        answered = sum(call.outcome == "reply" for call in record.calls())
    if result.status != "finished":
        faults.append(f"{result.status} after all: {result.message}")
    elif not answered:
        faults.append("finished without a completion")
    elif (found := canonical_hash(path)) != clean:
        faults.append(f"the hash is {found[:12]}, of a run without faults {clean[:12]}")
    return [f"{name} on {calls}: {fault}" for fault in faults]


def main(tenth: bool = False) -> list[str]:
    """Try the faults; return what went wrong."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with FaultServer() as server:
            run(SPEC, folder / "clean.sqlite", make_how(server))
        for fault, calls in list_trials(tenth):
            found += try_fault(fault, calls, folder, canonical_hash(folder / "clean.sqlite"))
            print(f"{fault} on {calls}: {len(found)} wrong", file=sys.stderr)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenth", action="store_true", help="every tenth run, as in CI")
    sys.exit("\n".join(main(**vars(parser.parse_args()))) or None)
