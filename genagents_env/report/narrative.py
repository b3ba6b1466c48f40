"""One run as its page tells it: pictures, who told whom, who came, what was answered on what."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from genagents_env.evaluate.evidence import EvidenceEvent, RestedAnswer
from genagents_env.evaluate.outcome_text import format_outcome
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.evaluate.scene_talks import name_fact
from genagents_env.evaluate.tellings import Telling, ToldFact
from genagents_env.report.sections import FigureFile
from genagents_env.report.table import format_number

_AROUND = 160  # characters of a long utterance shown on either side of the sentence
_DEEPEST = 6  # steps by which a telling is set in
_OPEN = 6  # answers that are not folded
_NAMES = 40  # people listed before the rest is counted


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A telling as it is shown.

    Attributes:
        depth: by which it is set in: how many told it on before.
        time: in town.
        teller: who said it, or what it came by.
        hearers: who had not known it.
        where: the place, and the means where it was not said aloud; may be empty.
        before, sentence, after: the words, cut where the sentence begins that states the fact.
        remark: on what is unusual; mostly empty.
    """

    depth: int
    time: str
    teller: str
    hearers: str
    where: str
    before: str
    sentence: str
    after: str
    remark: str

    @property
    def words(self) -> str:
        """The words in one; empty where the fact's common words stand for them."""
        return f"{self.before}{self.sentence}{self.after}"


@dataclass(frozen=True, slots=True)
class FactSection:
    """A fact as it is shown; `common` are the words in which everybody told it, if they did."""

    fact: str
    statement: str
    outcome: str
    at_start: str
    never: str
    common: str
    lines: tuple[ToldLine, ...]


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer as it is shown.

    `times`: of how many interviews with just these words. `lived`: something had happened by then.
    """

    when: str
    lived: bool
    text: str
    times: int
    verdicts: str
    evidence: tuple[EvidenceEvent, ...]
    fallback: bool


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as it was put to one person, and what was answered, in the order of time."""

    question: str
    answers: tuple[AnswerLine, ...]


@dataclass(frozen=True, slots=True)
class Interview:
    """All that one person answered, question by question."""

    agent: str
    questions: tuple[AskedQuestion, ...]

    @property
    def count(self) -> int:
        """How many different answers there are."""
        return sum(len(one.answers) for one in self.questions)


@dataclass(frozen=True, slots=True)
class ToldRun:
    """What the page tells of one run.

    Attributes:
        title: of the scenario.
        file: the run file.
        lead: who lived when, by which minds, and what was said.
        outcomes: what came of it, a sentence each.
        pictures: of the map, at its moments.
        facts: that somebody told, or everybody knew.
        untold: of facts that nobody heard, the words for how many and which.
        gatherings: who came, a sentence each.
        interviews: person by person.
        folded: whether the interviews are many.
    """

    title: str
    file: str
    lead: str
    outcomes: tuple[str, ...]
    pictures: tuple[FigureFile, ...]
    facts: tuple[FactSection, ...]
    untold: str
    gatherings: tuple[str, ...]
    interviews: tuple[Interview, ...]
    folded: bool


def tell_run(summary: RunSummary, pictures: Sequence[FigureFile] = ()) -> ToldRun:
    """Return what the page tells of a run; `pictures` are of its moments."""
    told = [fact for fact in summary.tellings if fact.tellings]
    interviews = tuple(_list_interviews(summary))
    return ToldRun(
        summary.title,
        str(summary.path),
        _describe_lead(summary),
        tuple(_describe_outcomes(summary)),
        tuple(pictures),
        tuple(_describe_fact(summary, fact) for fact in told),
        _describe_untold([fact for fact in summary.tellings if not fact.tellings]),
        tuple(_describe_gatherings(summary)),
        interviews,
        sum(one.count for one in interviews) > _OPEN,
    )


def _describe_lead(summary: RunSummary) -> str:
    start, end = summary.start, summary.end
    day = "" if start.date() == end.date() else f"{end:%a} {end.day} {end:%b}, "
    span = f"{start:%A} {start.day} {start:%B %Y}, {start:%H:%M} to {day}{end:%H:%M}"
    minds = ", ".join(
        name if len(summary.policies) == 1 else f"{name} ({count})"
        for name, count in sorted(summary.policies.items())
    )
    model = f"model {summary.model}" if summary.model is not None else "no model"
    talk = summary.talk
    people = _count(len(summary.people), "person", "people")
    return (
        f"{people}, {format_number(summary.hours)} game hours: {span}. Policy {minds}, {model}, "
        f"seed {summary.seed}. {_count(talk.utterances, 'utterance')} in "
        f"{_count(talk.conversations, 'conversation')}. The run is {summary.status}."
    )


def _describe_outcomes(summary: RunSummary) -> Iterator[str]:
    """Yield what came of it: successes at the end, how far facts came, who came."""
    after = [one for one in summary.outcomes if one.when == "after"]
    for title, several in groupby(after, key=lambda one: one.title):
        yield f"{title}: {'; '.join(map(format_outcome, several))}."
    everyone = len(summary.people)
    for fact in summary.tellings:
        if fact.tellings:
            yield (
                f"“{name_fact(fact.fact)}”: {len(fact.at_start)} of {everyone} knew it at the "
                f"start, {everyone - len(fact.never)} knew it or had heard it by the end."
            )
    for one in summary.gatherings:
        yield f"{len(one.visits)} of {everyone} came to “{name_fact(one.gathering)}”."


def _describe_fact(summary: RunSummary, fact: ToldFact) -> FactSection:
    everyone = len(summary.people)
    common = fact.common_words
    return FactSection(
        name_fact(fact.fact),
        fact.statement,
        f"{len(fact.heard)} of {everyone} heard it.",
        _join_names(fact.at_start) or "nobody",
        _join_names(fact.never),
        common,
        tuple(
            _describe_telling(summary, depth, one, quoted=not common)
            for depth, one in fact.walk_tree()
        ),
    )


def _describe_telling(summary: RunSummary, depth: int, one: Telling, *, quoted: bool) -> ToldLine:
    by = {"news": "News", "whisper": "An inner voice"}.get(one.means, "Unknown")
    where = [one.place.replace("/", ", ")] if one.place else []
    where += ["by telephone"] if one.means == "by telephone" else []
    remarks = []
    if one.teller is not None and not one.knew:
        remarks.append("who had not heard of it by the record")
    if one.teller is not None and not one.sentence:
        remarks.append("mentioned, in no sentence that states it")
    before, sentence, after = _cut_quote(one.words, one.sentence) if quoted else ("", "", "")
    return ToldLine(
        min(depth, _DEEPEST),
        summary.format_time(one.tick),
        by if one.teller is None else one.teller,
        _join_names(one.hearers),
        ", ".join(where),
        before,
        sentence,
        after,
        "; ".join(remarks),
    )


def _cut_quote(words: str, sentence: str) -> tuple[str, str, str]:
    """Return the words before a sentence, the sentence, and those after it, shortened."""
    at = words.find(sentence) if sentence else -1
    if at < 0:
        shown = words if len(words) <= 3 * _AROUND else f"{words[: 3 * _AROUND].rstrip()}…"
        return shown, "", ""
    before, after = words[:at], words[at + len(sentence) :]
    if len(before) > _AROUND:
        before = f"…{before[-_AROUND:].partition(' ')[2]}"
    if len(after) > _AROUND:
        after = f"{after[:_AROUND].rpartition(' ')[0]}…"
    return before, sentence, after


def _describe_untold(facts: Sequence[ToldFact]) -> str:
    """Return which facts nobody heard of, and why there is nothing to show of them."""
    if not facts:
        return ""
    known = [name_fact(fact.fact) for fact in facts if not fact.never]
    others = [name_fact(fact.fact) for fact in facts if fact.never]
    told = []
    if known:
        told.append(f"Everybody knew from the start: {', '.join(known)}.")
    if others:
        count = _count(len(others), "fact")
        told.append(f"Left out, since nobody told anybody of them: {count} ({', '.join(others)}).")
    return " ".join(told)


def _describe_gatherings(summary: RunSummary) -> Iterator[str]:
    for one in summary.gatherings:
        when = f"{one.start:%a} {one.start.day} {one.start:%b %H:%M} to {one.end:%H:%M}"
        place = one.place.replace("/", ", ")
        who = [
            f"{visit.agent} ({summary.find_time(visit.first):%H:%M}, "
            f"{visit.ticks * summary.seconds_per_tick / 60:.0f} min)"
            for visit in one.visits
        ]
        count = f"{len(one.visits)} of {len(summary.people)} came"
        came = f"{count}: {', '.join(who)}" if who else count
        yield f"{name_fact(one.gathering)}, {place}, {when}: {came}."


def _list_interviews(summary: RunSummary) -> Iterator[Interview]:
    asked = {one.agent: None for one in summary.answers}
    for agent in sorted(asked, key=lambda name: name not in summary.people):  # of equals, as asked
        given = [one for one in summary.answers if one.agent == agent]
        questions = dict.fromkeys(one.question for one in given)
        yield Interview(
            agent,
            tuple(
                AskedQuestion(
                    words,
                    tuple(_merge_answers(summary, [one for one in given if one.question == words])),
                )
                for words in questions
            ),
        )


def _merge_answers(summary: RunSummary, given: Sequence[RestedAnswer]) -> Iterator[AnswerLine]:
    """Yield the answers to one question; equal ones of one moment are one."""
    alike: dict[tuple[int, str, str, tuple[EvidenceEvent, ...]], list[RestedAnswer]] = {}
    for one in sorted(given, key=lambda one: (one.tick, one.condition)):
        alike.setdefault((one.tick, one.condition, one.text, one.evidence), []).append(one)
    for (tick, condition, text, evidence), several in alike.items():
        verdicts = dict.fromkeys(verdict for one in several for verdict in one.verdicts)
        yield AnswerLine(
            _describe_interview_time(summary, tick) + (f" ({condition})" if condition else ""),
            tick > 0,
            text,
            len(several),
            "; ".join(verdicts),
            evidence,
            several[0].fallback,
        )


def _describe_interview_time(summary: RunSummary, tick: int) -> str:
    if tick == 0:
        return "Before the run"
    return "After the run" if tick == summary.last_tick else f"At {summary.format_time(tick)}"


def _join_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES])
    return shown if len(names) <= _NAMES else f"{shown} and {len(names) - _NAMES} more"


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
