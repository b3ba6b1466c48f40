"""Interview answers of a run, put back beside what was asked."""

from genagents_env.record.rows import InterviewRow
from genagents_env.scenario.questions import PosedQuestion, When, list_questions
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event

ENDS: tuple[When, ...] = ("before", "after")


def find_run_replies(
    data: RunData, when: When, repeat: int | None = 0
) -> list[tuple[PosedQuestion, InterviewRow]]:
    """Return the scenario's questions at one end of a run, as they were asked, with the answers.

    Those before were given at tick 0, those after at the last tick, if it is another. Questions
    that nobody put to an agent, since its policy remembers nothing or the run has not ended, are
    left out; so are answers to other questions.

    Args:
        data: of the run.
        when: before the run or after it.
        repeat: of this interview alone; None for all of them, in their order at each question.
    """
    tick = 0 if when == "before" else data.last_tick
    given: dict[tuple[str, str], list[InterviewRow]] = {}
    for row in data.interviews if tick or when == "before" else ():
        if row.tick == tick and repeat in (None, row.repeat):
            given.setdefault((row.agent, row.question), []).append(row)
    return [
        (one, row)
        for one in list_questions(data.scenario, data.names, when)
        for row in sorted(given.get((one.agent, one.text), ()), key=lambda row: row.repeat)
    ]


def find_evidence(data: RunData, row: InterviewRow) -> list[Event]:
    """Return the events an answer names that had happened when it was given, in its order."""
    found = [data.by_id[id_] for id_ in row.evidence if id_ in data.by_id]
    return [event for event in found if event.tick <= row.tick]


def list_hearers(event: Event) -> list[str]:
    """Return who heard words in this event."""
    if event.kind in ("say", "news"):
        return list(event.data["heard_by"])
    return [event.agent] if event.kind == "whisper" and event.agent is not None else []
