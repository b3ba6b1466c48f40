from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from genagents_env import town_v0
from genagents_env.errors import ConfigError, LLMUnavailable
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunResult, resume, rollout, run
from genagents_env.run.policies import load_policy
from genagents_env.show.faculty_costs import compute_embedding_cost
from genagents_env.testing import check_policy
from tests.run.towns import FOUR, Killed, Value, make_options, make_spec, stop_at

GATHERER = str(Path(__file__).with_name("gatherer.py"))


class Counted:
    """Hashed n-grams that are stored like a slow model's vectors; keeps what it was asked."""

    stored = True

    def __init__(self, name: str = "counted", fails_after: int = 10**9) -> None:
        self.name, self.fails_after = name, fails_after
        self.texts: list[str] = []
        self.closed = 0
        self._source = HashedSource()

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if len(self.texts) >= self.fails_after:
            raise LLMUnavailable("no vectors today")
        self.texts += texts
        return np.asarray(await self._source.embed(texts))

    async def aclose(self) -> None:
        self.closed += 1


def run_with_source(path: Path, source: Counted, **changes: Value) -> RunResult:
    town = make_spec("valentines_party", 30, people=FOUR, policy=PolicySpec(GATHERER))
    return run(town, path, make_options(source=source, **changes))


def test_vectors_are_stored_and_no_text_is_embedded_twice_over_a_resume(path: Path) -> None:
    whole, first, second = Counted(), Counted(), Counted()
    run_with_source(path.with_name("whole"), whole)
    assert len(set(whole.texts)) == len(whole.texts)

    with pytest.raises(Killed):
        run_with_source(path, first, on_phase=stop_at(17, "mid-write"))
    assert resume(path, make_options(source=second)).status == "finished"
    assert canonical_hash(path) == canonical_hash(path.with_name("whole"))
    assert sorted([*first.texts, *second.texts]) == sorted(whole.texts)
    assert (first.closed, second.closed) == (1, 1)
    with RunReader(path) as record:
        kept = record.embeddings.get("counted", whole.texts)
        assert record.meta.embedder == "counted"
    assert set(kept) == set(whole.texts)
    assert {len(vector) for vector in kept.values()} == {512}


def test_a_resume_does_not_change_the_embedder_unasked(path: Path) -> None:
    run_with_source(path, Counted())
    with pytest.raises(ConfigError, match=r"embedder 'counted'.*'other'.*--embedder"):
        resume(path, make_options(source=Counted("other")), hours=0.1)
    assert resume(path, make_options(embedder="hashed:64"), hours=0.1).exit_code == 0
    with RunReader(path) as record:
        assert (record.meta.embedder, record.meta.asked_embedder) == ("hashed-64", "hashed:64")
    assert resume(path, make_options(), hours=0.1).exit_code == 0


def test_an_embedder_without_an_answer_pauses_the_run(path: Path) -> None:
    run_with_source(path.with_name("whole"), Counted())
    result = run_with_source(path, Counted(fails_after=20))
    assert (result.status, result.exit_code) == ("paused", 75)
    assert "no vectors today" in result.message
    assert resume(path, make_options(source=Counted())).status == "finished"
    assert canonical_hash(path) == canonical_hash(path.with_name("whole"))


def test_no_embedder_is_opened_where_no_policy_asks_it(path: Path) -> None:
    idle = make_spec(ticks=3, policy=PolicySpec("idle"))
    assert run(idle, path, make_options(embedder="nonsense")).status == "finished"
    with pytest.raises(ConfigError, match="nonsense"):
        run(
            make_spec(policy=PolicySpec(GATHERER)),
            path,
            make_options(embedder="nonsense"),
            force=True,
        )
    with RunReader(path) as record:
        assert record.meta.embedder is None


def test_a_rollout_and_check_policy_hand_over_an_embedder() -> None:
    env = town_v0.parallel_env("tiny", max_cycles=9)
    embedder = Embedder(HashedSource())
    seen = [rollout(env, GATHERER, embedder=embedder, keep_events=True).events for _ in range(2)]
    assert seen[0] == seen[1]
    check_policy(lambda: load_policy(GATHERER))


def test_the_report_shows_the_cost_of_embeddings(path: Path) -> None:
    for name, price in (("text-embedding-3-small", "0.02"), ("counted", "0")):
        source = Counted(name)
        embedder = f"endpoint:{name}" if Decimal(price) else None
        run_with_source(path.with_name(name), source, embedder=embedder)
        with RunReader(path.with_name(name)) as record:
            made = compute_embedding_cost(record)
        assert made is not None
        assert (made.model, made.texts) == (name, len(source.texts))
        assert (made.tokens > len(source.texts)) is bool(Decimal(price))
        assert made.dollars == Decimal(price) * made.tokens / 1_000_000
