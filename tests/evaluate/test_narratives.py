import json
from pathlib import Path

from genagents_env.evaluate.narratives import SummaryCourse, find_summary_courses
from genagents_env.record.rows import CallRow
from genagents_env.report.figures import draw_summary_courses, encode_png
from tests.evaluate.measures.street import ADA, BEN, begins, record_street


def call(agent: str, tick: int, purpose: str, outcome: str = "reply", **reply: str) -> CallRow:
    words = json.dumps(reply)
    return CallRow(agent, tick, purpose, 0, "", "[]", outcome, words, 1, 1, 1, 0, 0, None, 0.0, 0.0)


def test_summaries_and_merges_are_told_by_agent_and_drawn(tmp_path: Path) -> None:
    with record_street(tmp_path, [begins(ADA), begins(BEN)], last=9) as data:
        data.__dict__["calls"] = (
            call(BEN, 5, "monitor.update", summary="I am at home."),
            call(BEN, 2, "monitor.update", summary="Nothing yet."),
            call(BEN, 6, "monitor.update", "fallback", summary="Lost."),
            call(BEN, 7, "memory.merge", memory="All of it."),
            call(ADA, 3, "talk.speak", say="Hello."),
        )
        courses = find_summary_courses(data)
    assert courses == (SummaryCourse(BEN, ((2, 2), (5, 4)), (7,)),)
    assert encode_png(draw_summary_courses(courses, 60, 9)).startswith(b"\x89PNG")
