"""Answers that people gave after a run, kept in a file beside it, among their interviews."""

from collections.abc import Mapping
from pathlib import Path

from genagents_env.errors import FileError
from genagents_env.judge.kept_answers import KeptAnswer, read_own_answers
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON

_OTHERS = "Answers kept beside it are of another run, or of this one before it went on."


def add_later_interviews(
    mind: Mapping[str, JSON], run: RunReader, number: int, kept: Path | None
) -> JSON:
    """Return a mind, as the page takes it, with the answers given after the run.

    Answers of another run, and a file that cannot be read, are left out, and its note says so.

    Args:
        mind: as `make_mind` returns it.
        run: the record.
        number: of the agent among the run's names.
        kept: the file of answers, which need not be there; None where none are to be shown.
    """
    if kept is None:
        return dict(mind)
    try:
        own, others = read_own_answers(kept, run.path, run.meta.names[number])
    except FileError as error:
        return _add_note(mind, f"Answers kept beside the run are left out: {error}.")
    found = {**mind, "interviews": [*mind["interviews"], *map(_format, own)]}
    return _add_note(found, _OTHERS) if others else found


def _add_note(mind: Mapping[str, JSON], note: str) -> JSON:
    return {**mind, "note": f"{mind['note']} {note}".strip()}


def _format(answer: KeptAnswer) -> JSON:
    asker = f", asked by {answer.interviewer}" if answer.interviewer else ""
    condition = "" if answer.said.condition == "full" else f", condition {answer.said.condition}"
    return {
        "tick": answer.tick,
        "question": answer.said.question,
        "answer": answer.said.text,
        "evidence": list(answer.evidence),
        "note": f"asked after the run, answered by {answer.by}{asker}{condition}",
    }
