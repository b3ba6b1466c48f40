import json
from datetime import datetime
from pathlib import Path

import pytest

from genagents_env.record import RememberedRow, RunReader
from genagents_env.scenario.schema import Success
from genagents_env.show.evidence import find_evidence_lines, find_rested_answers
from genagents_env.show.outcomes import format_outcomes
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.show.transcript import format_transcript
from genagents_env.study.evaluate.measures.flow import compute_flows
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event
from tests.study.evaluate.suspects import (
    LAST,
    TESTIMONY,
    at,
    make_answers,
    make_data,
    make_judgements,
    mystery,
    say,
    write,
)
from tests.study.report.planted import ADA, ASKED, BEN, cake, make_utterance, plant


def test_a_report_tells_what_came_of_it_by_whom(tmp_path: Path) -> None:
    solved = Success(
        id="solved", title="Ada names Franco", check="suspect", of=("Ada",), value="Franco"
    )
    place = Success(id="there", title="Somebody is in the study", check="study", over="any")
    knife = "Franco had a knife."
    path = write(
        tmp_path / "run.sqlite",
        mystery(solved, place),
        [
            at(0, 0, "start", "Ada", "Cottage/kitchen"),
            say(3, "Ada", ["Ben"], knife),
            Event(4, 3, "learn", "Ben", {"fact": "testimony", "cause": 3, "source": "Ada"}),
        ],
        [
            *make_answers("Ada", "Zoe", "Zoe", "Nobody", tick=0),
            *make_answers("Ada", "Franco", "Franco", "Zoe"),
            *make_answers("Ben", knife, "Nobody", "Zoe"),
        ],
        [
            *make_judgements("Ada", "Franco", None, "Zoe"),
            *make_judgements("Ben", "Franco", "Zoe", "Zoe"),
        ],
        [RememberedRow(LAST, "Ben", "testimony", knife, ())],
    )
    with RunReader(path) as record:
        lines, brief = list(describe_run(record)), list(describe_run(record, brief=True))
        values = json.loads(json.dumps(run_as_json(record)))
    assert lines[lines.index("Success solved: Ada names Franco") :] == [
        "Success solved: Ada names Franco",
        "    before: no by rule, 0 of 3 (0%)",
        "    after: yes by rule, 2 of 3 (67%); yes by model:wise, 1 of 2 (50%), 1 verdict missing",
        "Success there: Somebody is in the study",
        "    after: no by rule, 0 of 1 (0%)",
        "Agreement on suspect: model:wise and the rule on 4 of 5 verdicts (80%)",
        "Flow of testimony: received 1 of 2 (50%), stored 1 of 1 (100%), "
        "retrieved 33% of interviews (by patterns)",
        f'    Ben, told: "{knife}"',
        "Answers to suspect by rule: 1 of 1 asked twice changed their mind",
        "    Ada: before Zoe (67%), after Franco (67%)",
        "    Ben: before not asked, after unsettled",
        "Answers to suspect by model:wise: 0 of 0 asked twice changed their mind",
        "    Ada: before not asked, after unsettled",
        "    Ben: before not asked, after Zoe (67%)",
    ]
    assert brief[-3:] == lines[lines.index("Success solved: Ada names Franco") :][2:5]
    assert "Fact testimony: 1 knew it at the start, 2 of 3 at the end (" in "\n".join(brief)
    assert not [line for line in brief if line.startswith(("Flow", "Answers", "    at the start"))]
    assert [one["share"] for one in values["outcomes"]] == [0.0, 2 / 3, 0.5, 0.0]
    assert values["agreements"][0]["agreed"] == 4
    assert values["flows"][0]["p_retrieve"] == 1 / 3
    assert values["preferences"][0]["changed"] == {"Ada": ["Zoe", "Franco"]}


KNIFE = "Franco had a knife."


@pytest.mark.parametrize(
    ("names", "heard", "held", "asked", "told"),
    [
        (["Ada"], (), ("Ada",), (), "everybody knew it at the start"),
        (["Ada", "Ben"], (), ("Ada",), (), "received 0 of 1 (0%)"),
        (["Ada", "Ben"], ("Ben",), ("Ada",), (), "received 1 of 1 (100%), stored 0 of 1 (0%)"),
        (["Ada", "Ben"], ("Ben",), (), ("Ben",), "received 1 of 1 (100%), stored not known"),
        (
            *(["Ada", "Ben"], ("Ben",), ("Ben",), ()),
            "received 1 of 1 (100%), stored 1 of 1 (100%), retrieved not asked",
        ),
    ],
)
def test_the_flow_is_told_as_far_as_it_came(
    names: list[str],
    heard: tuple[str, ...],
    held: tuple[str, ...],
    asked: tuple[str, ...],
    told: str,
) -> None:
    data = make_data(
        mystery(),
        [row for name in asked for row in make_answers(name, "No.")],
        names=names,
        events=[say(3, "Ada", heard, KNIFE)],
        memories=[RememberedRow(LAST, name, "testimony", KNIFE, ()) for name in held],
    )
    lines = list(format_outcomes((), (), compute_flows(data), ()))
    assert lines[0].removesuffix(" (by patterns)") == f"Flow of testimony: {told}"
    assert [line.split(",")[0].strip() for line in lines[1:]] == list(heard)


EVENTS = [
    Event(1, 0, "detour", "Ann", {"around": "Bob", "longer": 2}),
    Event(2, 0, "swap", "Ann", {"with": "Bob", "waited": 10}),
    Event(3, 0, "aside", "Ann", {"moved": ["Bob", "Cem"], "waited": 10}),
]
ROUND = "Ann goes round Bob"
PLACES = "Ann and Bob change places"
IN = "Ann is let in and the others move up"


@pytest.mark.parametrize(
    ("agent", "lines"),
    [
        (None, [ROUND, PLACES, IN]),
        ("Ann", [ROUND, PLACES, IN]),
        ("Bob", [PLACES, IN]),
        ("Cem", [IN]),
        ("Dee", []),
    ],
)
def test_passing_is_shown_to_all_who_moved(agent: str | None, lines: list[str]) -> None:
    told = format_transcript(EVENTS, lambda tick: datetime(2023, 2, 13, 9), agent)  # noqa: DTZ001
    assert [line.split("  ")[1] for line in told if "  " in line] == lines


def test_answers_come_with_the_verdicts_on_them(tmp_path: Path) -> None:
    with RunReader(cake(tmp_path / "a")) as run:
        found = find_rested_answers(RunData(run))
    told = {(one.tick, one.agent, one.repeat): one for one in found}
    assert told[60, ADA, 0].verdicts == ("suspect: Ben (arbiter)",)
    assert told[60, ADA, 1].verdicts == ("suspect: Ada (arbiter)",)
    assert told[0, ADA, 0].verdicts == ()
    assert told[60, BEN, 1].text == "Ben."
    assert told[60, BEN, 1].question == ASKED


def test_events_are_lines_with_day_and_time_and_the_unknown_and_the_later_say_so(
    tmp_path: Path,
) -> None:
    path = plant(tmp_path / "a", 9, [make_utterance(5, ADA, "Hello \x1b[2Jthere")])
    with RunReader(path) as run:
        said, early, missing = find_evidence_lines(run, (2, 0, 99), tick=5)
        (later,) = find_evidence_lines(run, (2,), tick=4)
    assert said.line == f'Mon 08:00:50  {ADA} to {BEN}: "Hello there"'
    assert said.known
    assert early.line.startswith(f"Mon 08:00:00  {ADA} is at Cottage/kitchen")
    assert (missing.line, missing.known) == ("event 99, which is not in the record", False)
    assert (later.line, later.known) == (said.line, False)


def test_what_several_were_told_in_one_sentence_and_what_nobody_received_takes_a_line() -> None:
    others = [TESTIMONY.model_copy(update={"id": f"f{k}", "patterns": ("x",)}) for k in range(2)]
    data = make_data(
        mystery(facts=(TESTIMONY, *others)),
        names=["Ada", "Ben", "Cem"],
        events=[say(3, "Ada", ["Ben", "Cem"], KNIFE)],
        memories=[RememberedRow(LAST, "Ada", one, "x", ()) for one in ("testimony", "f0", "f1")],
    )
    assert list(format_outcomes((), (), compute_flows(data), ())) == [
        "Flow of testimony: received 2 of 2 (100%), stored 0 of 2 (0%)",
        f'    Ben, Cem, told: "{KNIFE}"',
        "Flow of f0, f1: received 0 of 2 (0%)",
    ]
