from genagents_env.record.rows import InterviewRow
from genagents_env.scenario import load_scenario
from genagents_env.study.evaluate.interviews import find_run_replies
from tests.study.evaluate.suspects import make_data

TINY = load_scenario("tiny")
NAMES = [person.name for person in TINY.people]
HEARD = TINY.questions[0].text


def test_answers_are_put_beside_their_questions_by_end_of_the_run() -> None:
    rows = [
        InterviewRow(60, "Ben Carver", HEARD, "Yes.", (4, 2)),
        InterviewRow(30, "Ben Carver", HEARD, "Of an end that is no more.", ()),
        InterviewRow(0, "Ben Carver", HEARD, "No.", ()),
        InterviewRow(60, "Ada Brook", HEARD, "Nobody asked me.", ()),
        InterviewRow(60, "Ben Carver", "What else?", "Nothing.", ()),
    ]
    data = make_data(TINY, rows, last=60, names=NAMES)
    (before,), (after,) = (find_run_replies(data, when) for when in ("before", "after"))
    assert (before.text, before.tick, before.evidence) == ("No.", 0, ())
    assert (after.text, after.tick, after.evidence) == ("Yes.", 60, (4, 2))
    assert after.asked.question_id == TINY.questions[0].id
    assert find_run_replies(make_data(TINY, rows, last=60, names=["Ada Brook"]), "after") == []
    for last in (0, 61):
        assert find_run_replies(make_data(TINY, rows, last=last, names=NAMES), "after") == []


def test_the_first_interview_stands_for_all_unless_more_are_wanted() -> None:
    words = {2: "Third.", 0: "First.", 1: "Second."}
    rows = [InterviewRow(60, "Ben Carver", HEARD, text, (), k) for k, text in words.items()]
    data = make_data(TINY, rows, last=60, names=NAMES)

    def told(repeat: int | None) -> list[tuple[int, str]]:
        found = find_run_replies(data, "after", repeat)
        return [(reply.repeat, reply.text) for reply in found]

    assert [reply.text for reply in find_run_replies(data, "after")] == ["First."]
    assert told(1) == [(1, "Second.")]
    assert told(None) == [(0, "First."), (1, "Second."), (2, "Third.")]
    assert told(3) == []
