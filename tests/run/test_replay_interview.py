from collections.abc import Mapping
from pathlib import Path
from shutil import copy

import pytest

from genagents_env.errors import BudgetExceeded, ConfigError, DivergenceError, PolicyError
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.run import Limits, PolicySpec, Progress, interview, run
from tests.run.towns import FOUR, WITNESS, make_options, make_spec

NEWS = ["What is new?"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return 30 ticks of four people, interviewed thrice, with checkpoints at 29 and 30."""
    path = tmp_path_factory.mktemp("visited") / "run.sqlite"
    town = make_spec("valentines_party", 30, people=FOUR, policy=PolicySpec(WITNESS), repeats=3)
    run(town, path, make_options())
    return path


def own(path: Path, tick: int) -> Mapping[str, list[str]]:
    """Return the scenario's questions as they were asked of each at `tick`."""
    with RunReader(path) as record:
        rows = [row for row in record.interviews() if (row.tick, row.repeat) == (tick, 0)]
    return {agent: [row.question for row in rows if row.agent == agent] for agent in FOUR}


@pytest.mark.parametrize("tick", [0, 30])
def test_the_same_questions_at_the_same_moment_get_the_recorded_answers(
    path: Path, tick: int
) -> None:
    transcript = interview(path, FOUR, own(path, tick), tick, make_options(), repeats=3)
    with RunReader(path) as record:
        rows = [row for row in record.interviews() if row.tick == tick]
    for agent in FOUR:
        told = [(asked, answer.text, answer.evidence) for asked, answer in transcript[agent]]
        own_rows = [row for row in rows if row.agent == agent]
        assert told == [(row.question, row.answer, row.evidence) for row in own_rows]
        assert len(told) == 3 * len(own(path, tick)[agent])


def test_the_file_stays_as_it_is_and_only_answers_cost_calls(path: Path) -> None:
    before, seen = path.read_bytes(), list[Progress]()
    for tick in (None, 4, 29, 30):
        endpoint = ScriptedEndpoint()
        how = make_options(endpoint, watch=seen.append)
        transcript = interview(path, FOUR[:2], NEWS, tick, how)
        assert list(transcript) == list(FOUR[:2])
        lived_again = [r for r in endpoint.requests if "What is new" not in r.messages[0].content]
        assert lived_again == []
        assert len(endpoint.requests) == 2
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["run.sqlite"]
    lived = [moment.tick for moment in seen if not moment.asking]
    assert lived == [30, 1, 2, 3, 4, 30]  # there are checkpoints at the start and at 29
    asking = [(moment.tick, moment.asked) for moment in seen if moment.asking]
    assert asking == [(tick, asked) for tick in (30, 4, 29, 30) for asked in (0, 1, 2)]
    assert {moment.interviews for moment in seen if moment.asking} == {2}


def test_a_moment_is_remembered_as_far_as_it_had_come(path: Path) -> None:
    def evidence(tick: int) -> set[int]:
        transcript = interview(path, FOUR, NEWS, tick, make_options())
        return {
            event for answers in transcript.values() for _, a in answers for event in a.evidence
        }

    with RunReader(path) as record:
        for tick in (0, 12, 29):
            known = {event.id for event in record.events(0, tick)}
            assert evidence(tick) <= known
    assert evidence(0) == set()
    assert evidence(30)


@pytest.mark.parametrize(
    ("agents", "questions", "tick", "says"),
    [
        (["Bob"], NEWS, None, "nobody is called 'Bob'; there are Isabella"),
        (FOUR, NEWS, 31, "has no tick 31; its last is 30"),
        (FOUR, NEWS, -1, "has no tick -1"),
        (FOUR, [], None, "no question for Isabella"),
        (FOUR, {FOUR[0]: NEWS}, None, "no question for Maria"),
    ],
)
def test_unanswerable_questions_are_refused(
    path: Path, agents: list[str], questions: list[str], tick: int | None, says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        interview(path, agents, questions, tick, make_options())
    with pytest.raises(ConfigError, match="repeats: 0 is not allowed"):
        interview(path, FOUR, NEWS, 30, make_options(), repeats=0)


def test_limits_hold_and_other_models_must_be_meant(path: Path, tmp_path: Path) -> None:
    own = Path(copy(path, tmp_path))  # the limit stays with the file
    with pytest.raises(BudgetExceeded):
        interview(own, FOUR, NEWS, 0, make_options(limits=Limits(calls=2)))
    with pytest.raises(ConfigError, match="--model"):
        interview(path, FOUR, NEWS, 0, make_options(ScriptedEndpoint(model="other")))


CHANGING = """
import os
from genagents_env.actions import Idle
from genagents_env.policy import Policy
class Changing(Policy):
    name = "changing"
    remembers = True
    def act(self, observations, infos):
        return {agent: Idle(os.environ["DOING"]) for agent in observations}
    def interview(self, agent, questions, repeat=0):
        raise ValueError("lost for words")
"""


def test_a_policy_that_changed_or_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, path = tmp_path / "changing.py", tmp_path / "run.sqlite"
    policy.write_text(CHANGING)
    monkeypatch.setenv("DOING", "reading")
    run(make_spec(ticks=5, policy=PolicySpec(str(policy))), path, make_options())
    with pytest.raises(PolicyError, match="Ada Brook did not answer: ValueError: lost for words"):
        interview(path, ["Ada Brook"], NEWS, 3, make_options())
    monkeypatch.setenv("DOING", "writing")
    with pytest.raises(DivergenceError, match="tick 1 differs from the record") as refusal:
        interview(path, ["Ada Brook"], NEWS, 3, make_options())
    assert "minds have changed since it was recorded" in str(refusal.value)
    assert "--list" in str(refusal.value)
    assert "\n" not in str(refusal.value)
