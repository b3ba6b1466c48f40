"""A model that gives no usable replies: no run or sweep of it ends with exit code 0 and a mean."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.record import RunReader, canonical_hash
from genagents_env.show.view.head import make_notices
from genagents_env.study.report import measure_runs, measure_study
from genagents_env.study.sweep import SweepFolder
from genagents_env.testing.fault_server import FaultServer, ServerFault, envelope
from tests.cli.conftest import Run
from tests.scripted import neighbour

pytestmark = pytest.mark.usefixtures("in_process")

Reply = Callable[[str], bytes]  # from the words of a good one
Weather = Callable[[int], bool]  # whether the call of that number, from 0, gets a bad reply
BAD: Mapping[str, Reply] = {
    "refusal": lambda good: envelope("I'm sorry, but I can't help with that."),
    "empty": lambda good: envelope(""),
    "blank": lambda good: envelope(" \n\t \u200b "),
    "rubbish": lambda good: envelope("walrus teapot 77 bzzt }{"),
    "cut": lambda good: envelope(good[: len(good) // 2], "length"),
    "other schema": lambda good: envelope('{"colour": "blue", "size": [1, 2]}'),
    "list": lambda good: envelope('["go", "home", 3]'),
    "null": lambda good: envelope(None),
    "thinking": lambda good: envelope("<think>Who am I, and where was I going?</think>"),
    "endless": lambda good: envelope("and so on " * 30_000, "length"),
}
WEATHERS: Mapping[str, Weather] = {
    "for ever": lambda call: True,
    "at the start": lambda call: call < 9,
    "in the middle": lambda call: 6 <= call < 15,
    "by turns": lambda call: call % 2 == 1,
}
PAIRS = list(zip(BAD, cycle(WEATHERS), strict=False))  # each reply, and each weather
QUICK = [*PAIRS, ("refusal", "by turns"), ("empty", "in the middle"), ("list", "for ever")]
PREFLIGHT = "Answer with exactly"  # begins what is asked before a run
RUN = ("run", "tiny", "--hours", "0.1", "-q", "--model", "town-model")
STUDY = """
name = "useless"
scenario = "tiny"
hours = 0.1
seeds = 2
interviews = false
primary = ["utterances"]
[factors]
policy = ["direct", "scripted"]
"""
SWEEP = ("sweep", "study.toml", "--out", "out", "-q", "--workers", "1")


def find_call(messages: list[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return the prompt of a call, of a re-ask that of the first time."""
    if "Answer again" not in messages[-1]["content"]:
        return messages
    return messages[:-2] if messages[-2]["role"] == "assistant" else messages[:-1]


@contextmanager
def serve(
    monkeypatch: pytest.MonkeyPatch, bad: Reply, weather: Weather, rule: Rule = sample_schema
) -> Iterator[FaultServer]:
    """Serve a model whose calls get bad replies by `weather`: attempts and re-ask of one alike."""
    numbers: dict[str, int] = {}

    def answer(good: str, asked: Mapping[str, Any]) -> bytes:
        if asked["messages"][-1]["content"].startswith(PREFLIGHT):
            return envelope(good)
        number = numbers.setdefault(json.dumps(find_call(asked["messages"])), len(numbers))
        return bad(good) if weather(number) else envelope(good)

    with FaultServer(always=ServerFault(answer=answer), rule=rule) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        yield server


def run_it(genagents: Run, *more: str) -> tuple[int, str, str]:
    return genagents(*RUN, *(more if "--policy" in more else ("--policy", "direct", *more)))


def check_run(
    genagents: Run, monkeypatch: pytest.MonkeyPatch, bad: str, weather: str, *more: str
) -> None:
    """Check that a run of such a model is paused, or degraded and in no mean."""
    with serve(monkeypatch, BAD[bad], WEATHERS[weather]):
        code, out, err = run_it(genagents, "--force", *more)
    assert code in (4, 75), (code, out, err)
    with RunReader("run.sqlite") as record:
        status, found = record.status, record.find_degradation()
    if code == 75:
        assert (status, found.fallbacks) == ("paused", 0)
        assert re.search(r"in a row (to town-model had no usable reply|failed)", err)
        assert "go on with `genagents resume run.sqlite`" in err
    else:
        assert (status, found.degraded) == ("finished", True)
        told = f"DEGRADED: {found.fallbacks} of {found.calls} model calls ({found.share:.1%})"
        assert f"{told} had no usable reply, more than 20% (--limit fallbacks)" in err
        assert measure_runs([Path("run.sqlite")]).excluded == 1


def check_sweep(genagents: Run, monkeypatch: pytest.MonkeyPatch, bad: str, weather: str) -> None:
    """Check that a sweep of such a model has no mean of it, but of those that ask none."""
    Path("study.toml").write_text(STUDY)
    with serve(monkeypatch, BAD[bad], WEATHERS[weather]):
        code, out, err = genagents(*SWEEP, "--model", "town-model")
    if code == 2:
        assert "with direct (policy) every finished run of the first seed is degraded" in err, err
    else:
        assert code in (4, 75), (code, out, err)
    results = measure_study(SweepFolder("out"))
    sizes = {label: len(own) for label, own in results.values_of("utterances").items()}
    clean = sum(run.counted and run.condition.name == "direct" for run in results.runs)
    assert sizes.get("direct", 0) == clean
    assert clean < 2
    for run in results.runs:
        if run.condition.name == "direct" and run.state == "finished" and not run.excluded:
            assert run.measured is not None
            assert run.measured.degradation.share <= 0.2


@pytest.mark.parametrize(("bad", "weather"), QUICK)
def test_no_run_of_useless_replies_is_whole(
    genagents: Run, monkeypatch: pytest.MonkeyPatch, bad: str, weather: str
) -> None:
    check_run(genagents, monkeypatch, bad, weather)


@pytest.mark.parametrize("weather", ["for ever", "by turns"])
def test_no_sweep_of_refusals_has_a_mean_unless_its_experiment_allows_them(
    genagents: Run, monkeypatch: pytest.MonkeyPatch, weather: str
) -> None:
    check_sweep(genagents, monkeypatch, "refusal", weather)
    text = Path("out/report.html").read_text()
    assert re.search(r"<p>No run with direct .* was compared with nothing", text)
    assert "(difference" not in text
    if weather == "by turns":
        Path("study.toml").write_text(f"max_fallbacks = 1.0\n{STUDY}")
        with serve(monkeypatch, BAD["refusal"], WEATHERS[weather]):
            assert genagents(*SWEEP[:3], "all", *SWEEP[4:], "--model", "town-model")[0] == 0
        for run in measure_study(SweepFolder("all")).runs:
            assert run.measured is not None
            assert (run.measured.degradation.max_fallbacks, run.counted) == (1, True)


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RetryPolicy, "wait", lambda *_: 0.0)


@pytest.mark.parametrize("weather", WEATHERS)
def test_words_that_name_no_tool_are_no_usable_reply(
    genagents: Run, monkeypatch: pytest.MonkeyPatch, weather: str
) -> None:
    """A mind that acts by tools reads any words; a refusal names none."""
    by_tools = ("--policy", "simuverse", "--policy-config", "interpreter=regex")
    check_run(genagents, monkeypatch, "refusal", weather, *by_tools)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "weather"),
    [("cut", "by turns"), ("null", "in the middle"), ("other schema", "at the start")],
)
def test_no_sweep_of_useless_replies_has_a_mean(
    genagents: Run, monkeypatch: pytest.MonkeyPatch, bad: str, weather: str
) -> None:
    check_sweep(genagents, monkeypatch, bad, weather)


def test_a_run_that_paused_for_refusals_becomes_that_of_a_calm_day(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(monkeypatch, BAD["refusal"], lambda call: call >= 6, neighbour):
        assert run_it(genagents)[0] == 75
    with serve(monkeypatch, BAD["refusal"], lambda call: False, neighbour):
        code, out, err = genagents("resume", "run.sqlite", "-q")
        assert (code, err) == (0, "")
        assert "(0.0%), degraded above 20%" in out
        assert run_it(genagents, "--out", "calm.sqlite")[0] == 0
    assert canonical_hash(Path("run.sqlite")) == canonical_hash(Path("calm.sqlite"))


def test_the_share_is_kept_in_the_run_file_and_can_be_changed(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 1 nothing pauses or is degraded; what a run is called degraded by is its own number."""
    with serve(monkeypatch, BAD["refusal"], WEATHERS["for ever"]):
        code, out, err = run_it(genagents, "--limit", "fallbacks=1")
        assert (code, err) == (0, "")
        assert "(100.0%), degraded above 100%" in out
        assert run_it(genagents, "--out", "b.sqlite")[0] == 75
        code, out, err = genagents("resume", "b.sqlite", "-q", "--limit", "fallbacks=1")
        assert (code, err) == (0, "")
        assert re.search(r"Limit of fallbacks changed [^:]+: from 0.2 to 1\n", out)
    with RunReader("b.sqlite") as record:
        assert record.meta.max_fallbacks == 1
    with serve(monkeypatch, BAD["refusal"], WEATHERS["by turns"]):
        assert run_it(genagents, "--force", "--limit", "fallbacks=0.6")[0] == 0
        assert run_it(genagents, "--force", "--limit", "fallbacks=0.3")[0] == 4
    code, out, err = genagents("show", "run.sqlite")
    assert (code, "had no usable reply, more than 30% (--limit fallbacks)" in err) == (0, True)
    genagents("report", "run.sqlite", "--out", "page")
    page = " ".join(Path("page/report.html").read_text().split())
    assert "had no usable reply, more than 30% (--limit fallbacks)" in page


def test_where_another_model_answers_than_before_is_said(
    genagents: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its own word: the name in the answer and its fingerprint, stored with each call."""
    asked = [0]

    def answer(good: str, _: Mapping[str, Any]) -> bytes:
        asked[0] += 1
        who = {"model": "m-may", "system_fingerprint": "fp_1"}
        now = who if asked[0] <= 5 else {"model": "m-june\x1b[2J"}
        return json.dumps(json.loads(envelope(good)) | now).encode()

    with FaultServer(always=ServerFault(answer=answer), rule=neighbour) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        code, out, _ = run_it(genagents, "--endpoint", "concurrency=1")
    assert code == 0
    with RunReader("run.sqlite") as record:
        said = [(row.model, row.fingerprint) for row in record.read_responses()]
        (change,) = record.find_model_changes()
        notices = make_notices(record)["notices"]
        assert len(said) == record.sum_calls().calls
    assert set(said) == {("m-may", "fp_1"), ("m-june", "")}
    words = (
        "MODEL CHANGED: town-model was answered by m-may (fp_1) at first, and by m-june from tick "
        f"{change.tick} on"
    )
    assert change.tick > 0
    assert words in out
    assert notices == [words]
    assert words in genagents("report", "run.sqlite")[1]
    assert json.loads(genagents("report", "run.sqlite", "--json")[1])["model_changes"]
