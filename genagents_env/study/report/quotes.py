"""The words of a run: who told whom of each fact, and every answer with what it rests on."""

from collections.abc import Iterator
from itertools import groupby

from pydantic_core import to_jsonable_python

from genagents_env.errors import FileError
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.show.evidence import RestedAnswer, find_evidence_lines, find_rested_answers
from genagents_env.show.story.talks import name_fact
from genagents_env.show.summary import format_time
from genagents_env.study.evaluate.measures.tellings import Telling, ToldFact, trace_tellings
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.judge.kept_answers import KeptAnswer, find_kept_file, read_own_answers
from genagents_env.study.report.table import list_some

_NAMES = 40  # people listed before the rest is counted


def describe_words(data: RunData) -> Iterator[str]:
    """Yield who told whom in which words, and every answer with the events it rests on.

    A telling stands below the one from which its teller knew. Answers of interviews that were held
    later, and are kept beside the run, are among them; what cannot be read of these is said.
    """
    yield f"{data.scenario.title} ({data.path}), in words:"
    facts = trace_tellings(data)
    for fact in facts:
        if fact.tellings:
            yield from _describe_fact(data, fact)
    known = [name_fact(fact.fact) for fact in facts if not fact.tellings and not fact.never]
    untold = [name_fact(fact.fact) for fact in facts if not fact.tellings and fact.never]
    if known:
        yield f"Everybody knew from the start: {', '.join(known)}."
    if untold:
        yield f"Nobody told anybody of: {', '.join(untold)}."
    answers, caution = find_answers(data)
    for agent, given in groupby(sorted(answers, key=_by_question), lambda one: one.agent):
        yield f"{agent} was asked:"
        for question, several in groupby(given, lambda one: one.question):
            yield f"    {question}"
            for one in several:
                yield from _describe_answer(data, one)
    if caution:
        yield caution


def words_as_json(data: RunData) -> dict[str, JSON]:
    """Return the same as JSON values; each telling and answer has its town time under `time`."""
    answers, _ = find_answers(data)
    return {
        "tellings": [
            to_jsonable_python(fact) | {"tellings": [_add_time(data, one) for one in fact.tellings]}
            for fact in trace_tellings(data)
        ],
        "answers": [_add_time(data, one) for one in answers],
    }


def find_answers(data: RunData) -> tuple[tuple[RestedAnswer, ...], str]:
    """Return the answers in the record, then those kept beside the run, and a caution.

    Answers of another run, or of this one before it went on, are left out; the caution says so,
    and is empty otherwise.
    """
    recorded = find_rested_answers(data)
    try:
        path = find_kept_file(data.path)
        own, others = read_own_answers(path, data.path)
    except FileError as error:
        return recorded, f"Answers kept beside a run are left out: {error}"
    caution = (
        f"{path}: {others} of {len(own) + others} answers are left out; they are of another run, "
        "or of this one before it went on."
    )
    later = (_rest_answer(data.reader, one) for one in own)
    return (*recorded, *later), caution if others else ""


def _rest_answer(reader: RunReader, one: KeptAnswer) -> RestedAnswer:
    asker = f", asked by {one.interviewer}" if one.interviewer else ""
    return RestedAnswer(
        *(one.tick, one.said.agent, one.said.question, one.said.repeat, one.said.text),
        tuple(find_evidence_lines(reader, one.evidence, one.tick)),
        condition=f"condition {one.said.condition}, given by {one.by}{asker}",
        fallback=one.fallback,
    )


def _add_time(data: RunData, one: Telling | RestedAnswer) -> JSON:
    return to_jsonable_python(one) | {"time": data.reader.time(one.tick).isoformat()}


def _by_question(one: RestedAnswer) -> tuple[str, str, int, str, int]:
    return one.agent, one.question, one.tick, one.condition, one.repeat


def _describe_fact(data: RunData, fact: ToldFact) -> Iterator[str]:
    yield f"{name_fact(fact.fact)}: {fact.statement}"
    yield f"    Knew it from the start: {list_some(fact.at_start, _NAMES) or 'nobody'}"
    if common := fact.common_words:
        yield f'    Always in these words: "{common}"'
    for depth, one in fact.walk_tree():
        left = "    " * (depth + 1)
        yield f"{left}{_describe_telling(data, one)}"
        if one.words and not common:
            yield f'{left}    "{one.words}"'
    if fact.never:
        yield f"    Never heard it: {list_some(fact.never, _NAMES)}"


def _describe_telling(data: RunData, one: Telling) -> str:
    by = {"news": "News", "whisper": "An inner voice"}.get(one.means, "Unknown")
    where = [format_time(data, one.tick), one.place.replace("/", ", ")]
    where += ["by telephone"] if one.means == "by telephone" else []
    told = (
        f"{', '.join(filter(None, where))}: {one.teller or by} -> {list_some(one.hearers, _NAMES)}"
    )
    remarks = []
    if one.teller is not None and not one.knew:
        remarks.append("who had not heard of it by the record")
    if one.teller is not None and not one.sentence:
        remarks.append("mentioned, in no sentence that states it")
    return f"{told} ({'; '.join(remarks)})" if remarks else told


def _describe_answer(data: RunData, one: RestedAnswer) -> Iterator[str]:
    ends = {0: "Before the run", data.last_tick: "After the run"}
    when = ends.get(one.tick) or f"At {format_time(data, one.tick)}"
    condition = f" ({one.condition})" if one.condition else ""
    unsaid = " (nobody gave it: the model's reply was of no use)" if one.fallback else ""
    yield f"        {when}{condition}: {one.text}{unsaid}"
    if one.verdicts:
        yield f"            judged: {'; '.join(one.verdicts)}"
    yield from (f"            {event.line}" for event in one.evidence)
