"""Judging by a rubric: a model rates texts, or says which of two conditions' texts is the better.

What was said before is not asked again, and where a judge would read the very same it is asked
once. Everything is asked once before anything is asked twice, seed by seed, so that a session that
stops early has judged the conditions alike.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.llm.client import ModelAnswer
from genagents_env.run.spec import RunOptions
from genagents_env.scenario.faults import quote
from genagents_env.study.judge.prompting import (
    ComparisonReply,
    JudgeReply,
    RatingReply,
    make_pair_messages,
    make_rating_messages,
    narrow_reply,
)
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.session import (
    NAME_LIMIT,
    JudgeQuery,
    JudgeSession,
    JudgingResult,
    Watch,
)
from genagents_env.study.judge.texts import JudgedText, Match
from genagents_env.study.judge.verdicts import By, Choice, Judgement, Verdicts, group_by
from genagents_env.text import clean

TEMPERATURE = 0.7  # repeats at temperature 0 would all be equal

_PLACES: dict[str, Choice] = {"a": "first", "b": "second", "tie": "tie"}
Texts = Sequence[JudgedText]  # one that is rated, or two in the order of reading


def judge_texts(
    texts: Iterable[JudgedText],
    rubric: Rubric,
    options: RunOptions,
    verdicts: Verdicts,
    *,
    pairwise: bool = False,
    repeats: int | None = None,
    judge: str | None = None,
    watch: Watch | None = None,
) -> JudgingResult:
    """Let a model rate every text that the rubric covers, or compare those of any two conditions.

    A pair is read in both orders, since judges prefer a place as well as an answer: how often
    the verdict flips with the order is the position bias that `rankings.rank_conditions` counts.

    Args:
        texts: of all conditions, in any order; the same one twice is one.
        rubric: whose `about` is what the texts are.
        options: model (None is the default one), limits, shared budget, concurrency, retries.
        verdicts: where they are kept.
        pairwise: compare by the rubric's `versus`; else rate.
        repeats: how often each is asked; None is 3 for ratings, 1 for each order of a pair.
        judge: the name under which verdicts are kept; None is the model's.
        watch: called after every verdict.

    Raises:
        ConfigError: there is no such model, `judge` has no words, `repeats` is below 1, or pairs
            are wanted and the rubric has no `versus` or one condition two runs of a seed.
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
        RunLocked: another process adds to these verdicts.
    """
    if repeats is None:
        repeats = 1 if pairwise else 3
    if repeats < 1:
        raise ConfigError(f"repeats is {repeats}; allowed: 1 or more")
    due = _list_pairs(texts, rubric) if pairwise else _list_rated(texts, rubric)
    # The call's key has the texts' ids and the repeat, which decide the seed.
    session = JudgeSession(options, judge, run_seed=0, temperature=TEMPERATURE)
    blanks = [
        make_blank(read, rubric, session.name, "model", repeat)
        for repeat in range(repeats)
        for read in due
    ]
    known = {one.id: one for read in due for one in read}
    with verdicts:
        before = _count_given(verdicts, blanks)
        queries = list(_list_queries(blanks, known, rubric, verdicts))
        done = session.ask_all(queries, answered=before > 0, watch=watch)
        new = _count_given(verdicts, blanks) - before
    return replace(done, asked=len(blanks), before=before, given=new, shared=new - done.given)


def _list_rated(texts: Iterable[JudgedText], rubric: Rubric) -> list[Texts]:
    """Return every text that the rubric covers, seed by seed."""
    covered = {one.id: one for one in texts if rubric.covers(one)}
    return [(one,) for one in sorted(covered.values(), key=lambda one: one.seed)]


def _list_pairs(texts: Iterable[JudgedText], rubric: Rubric) -> list[Texts]:
    """Return every two texts that conditions are compared by, in both orders, seed by seed."""
    if not rubric.versus:
        raise ConfigError(f"rubric {rubric.name}: it has no `versus`, so no pairs are compared")
    groups = sorted(group_comparable(texts, rubric).items(), key=lambda group: group[0][1])
    return [
        order
        for _, said in groups
        for first, second in combinations(sorted(said), 2)
        for order in ((said[first], said[second]), (said[second], said[first]))
    ]


def group_comparable(
    texts: Iterable[JudgedText], rubric: Rubric
) -> dict[Match, dict[str, JudgedText]]:
    """Return the texts that the rubric covers, by what they share and by condition.

    Raises:
        ConfigError: one condition has two runs of a seed.
    """
    groups: dict[Match, dict[str, JudgedText]] = {}
    for said in texts:
        if not rubric.covers(said):
            continue
        group = groups.setdefault(said.match, {})
        other = group.setdefault(said.condition, said)
        if other.id != said.id:
            raise ConfigError(
                f"condition {quote(said.condition)} has two runs of seed {said.seed}: {other.run} "
                f"and {said.run}; answers are compared between conditions, one run of each seed"
            )
    return groups


def make_blank(texts: Texts, rubric: Rubric, judge: str, by: By, repeat: int = 0) -> Judgement:
    """Return the judgement of one text, or of two as they are read, without its verdict."""
    one = texts[0]
    return Judgement(
        texts=tuple(text.id for text in texts),
        runs=tuple(text.run for text in texts),
        conditions=tuple(text.condition for text in texts),
        contents=tuple(map(rubric.digest_shown, texts)),
        block=one.block,
        seed=one.seed,
        agent=one.agent,
        when=one.when,
        question=one.question,
        number=one.repeat,
        rubric=rubric.name,
        edition=rubric.edition,
        low=rubric.low,
        high=rubric.high,
        judge=judge,
        by=by,
        repeat=repeat,
    )


def copy_ratings(
    given: Iterable[Judgement], texts: Iterable[JudgedText], rubric: Rubric
) -> Iterator[Judgement]:
    """Yield what one judge gave some texts for all others that read the same.

    Args:
        given: by one judge, on some of `texts`; comparisons are not copied.
        texts: of all conditions.
        rubric: that was applied.
    """
    said = {one.contents: one for one in given if not one.is_comparison}
    rated = {one.texts for one in said.values()}
    for text in texts if said else ():
        one = said.get((rubric.digest_shown(text),))
        if one is not None and (text.id,) not in rated and rubric.covers(text):
            yield from _share(one, [make_blank([text], rubric, one.judge, one.by)])


def _count_given(verdicts: Verdicts, blanks: Iterable[Judgement]) -> int:
    return sum(verdicts.find(blank) is not None for blank in blanks)


def _share(given: Judgement, blanks: Iterable[Judgement]) -> list[Judgement]:
    """Return a verdict for texts in which a judge would read the very same, at no cost."""
    return [replace(blank, value=given.value, why=given.why) for blank in blanks]


def _list_queries(
    blanks: Iterable[Judgement], known: Mapping[str, JudgedText], rubric: Rubric, verdicts: Verdicts
) -> Iterator[JudgeQuery]:
    """Yield what has to be asked, once where a judge would read the very same; share the rest."""
    for group in group_by(blanks, lambda one: (one.repeat, one.contents)).values():
        given = next(filter(None, map(verdicts.find, group)), None)
        if given is not None:
            verdicts.add(*_share(given, [one for one in group if verdicts.find(one) is None]))
        else:
            read = [known[id_] for id_ in group[0].texts]
            yield _make_query(read, rubric, group[0], partial(_store, verdicts, group))


def _make_query(
    read: Texts, rubric: Rubric, blank: Judgement, store: Callable[..., None]
) -> JudgeQuery:
    if blank.is_comparison:
        purpose, messages = "compare", partial(make_pair_messages, read, rubric)
        reply: type[JudgeReply] = ComparisonReply
    else:
        purpose, messages = "rate", partial(make_rating_messages, read[0], rubric)
        scale = tuple(range(rubric.low, rubric.high + 1))
        reply = narrow_reply(RatingReply, "rating", scale)
    key = CallKey(".".join(blank.texts), 0, f"{purpose}.{rubric.name}", blank.repeat)
    return JudgeQuery(key, messages, reply, store)


def _store(
    verdicts: Verdicts,
    blanks: Sequence[Judgement],
    answered: ModelAnswer[RatingReply | ComparisonReply],
    recorded: RecordedReply,
) -> None:
    reply, read, written = answered.value, recorded.prompt_tokens, recorded.completion_tokens
    one = replace(blanks[0], prompt_tokens=read, completion_tokens=written)
    if answered.fallback:
        verdicts.add(replace(one, why=clean(answered.fault or "", NAME_LIMIT)))
        return
    value = reply.rating if isinstance(reply, RatingReply) else _PLACES[reply.better]
    given = replace(one, value=value, why=reply.why)
    verdicts.add(given, *_share(given, blanks[1:]))
