"""Answers of interviews held after a run, which are kept in a file beside it, in its report."""

from dataclasses import replace

from genagents_env.errors import FileError
from genagents_env.evaluate.evidence import RestedAnswer, find_evidence_lines
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.judge.kept_answers import KeptAnswer, find_kept_file, read_own_answers
from genagents_env.record import RunReader


def add_later_answers(summary: RunSummary) -> tuple[RunSummary, str]:
    """Return the summary with the answers that are kept beside its run, and a caution.

    Answers of another run, or of this one before it went on, are left out; the caution says so,
    and is empty otherwise.
    """
    try:
        path = find_kept_file(summary.path)
        own, others = read_own_answers(path, summary.path)
    except FileError as error:
        return summary, f"Answers kept beside a run are left out: {error}"
    caution = (
        f"{path}: {others} of {len(own) + others} answers are left out; they are of another run, "
        "or of this one before it went on."
    )
    if own:
        with RunReader(summary.path) as reader:
            rested = (_rest_answer(reader, one) for one in own)
            summary = replace(summary, answers=(*summary.answers, *rested))
    return summary, caution if others else ""


def _rest_answer(reader: RunReader, one: KeptAnswer) -> RestedAnswer:
    asker = f", asked by {one.interviewer}" if one.interviewer else ""
    return RestedAnswer(
        *(one.tick, one.said.agent, one.said.question, one.said.repeat, one.said.text),
        tuple(find_evidence_lines(reader, one.evidence, one.tick)),
        condition=f"condition {one.said.condition}, given by {one.by}{asker}",
        fallback=one.fallback,
    )
