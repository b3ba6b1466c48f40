from genagents_env.record.rows import InterviewRow
from genagents_env.scenario import load_scenario
from genagents_env.study.evaluate.interviews import find_replies

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
    (before,) = find_replies(TINY, NAMES, rows, "before", 60)
    (after,) = find_replies(TINY, NAMES, rows, "after", 60)
    assert (before.text, before.tick, before.evidence) == ("No.", 0, ())
    assert (after.text, after.tick, after.evidence) == ("Yes.", 60, (4, 2))
    assert after.asked.question_id == TINY.questions[0].id
    assert find_replies(TINY, ["Ada Brook"], rows, "after", 60) == []
    assert find_replies(TINY, NAMES, rows, "after", 61) == []


def test_the_first_interview_stands_for_all_unless_more_are_wanted() -> None:
    rows = [
        InterviewRow(60, "Ben Carver", HEARD, "Third.", (), 2),
        InterviewRow(60, "Ben Carver", HEARD, "First.", ()),
        InterviewRow(60, "Ben Carver", HEARD, "Second.", (), 1),
    ]

    def told(repeat: int | None) -> list[tuple[int, str]]:
        found = find_replies(TINY, NAMES, rows, "after", 60, repeat)
        return [(reply.repeat, reply.text) for reply in found]

    assert [reply.text for reply in find_replies(TINY, NAMES, rows, "after", 60)] == ["First."]
    assert told(1) == [(1, "Second.")]
    assert told(None) == [(0, "First."), (1, "Second."), (2, "Third.")]
    assert told(3) == []
