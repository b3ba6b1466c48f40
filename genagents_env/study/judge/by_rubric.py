"""Judging by a rubric: a model rates texts, or says which of two conditions' texts is the better.

What was said before is not asked again, and where a judge would read the very same it is asked
once. Everything is asked once before anything is asked twice, seed by seed, so that a session that
stops early has judged the conditions alike.
"""

from collections.abc import Iterable, Sequence
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
        before = _find_given(verdicts, blanks)
        said = {(one.repeat, one.contents) for one in before}
        groups = group_by(blanks, lambda one: (one.repeat, one.contents))
        queries = [
            _make_query([known[id_] for id_ in group[0].texts], rubric, group[0], verdicts)
            for reading, group in groups.items()
            if reading not in said
        ]
        done = session.ask_all(queries, answered=bool(before), watch=watch)
        verdicts.add(*share(_find_given(verdicts, blanks), blanks))
        new = len(_find_given(verdicts, blanks)) - len(before)
    shared = new - done.given
    return replace(done, asked=len(blanks), before=len(before), given=new, shared=shared)


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


def share(given: Sequence[Judgement], blanks: Iterable[Judgement]) -> list[Judgement]:
    """Return what one judge gave some texts for all others in which the very same is read."""
    said = {(one.repeat, one.contents): one for one in reversed(given)}  # the first counts
    keys = {one.key for one in given}
    others = [one for one in blanks if (one.repeat, one.contents) in said and one.key not in keys]
    originals = (said[one.repeat, one.contents] for one in others)
    return [
        replace(one, value=original.value, why=original.why)
        for one, original in zip(others, originals, strict=True)
    ]


def _find_given(verdicts: Verdicts, blanks: Iterable[Judgement]) -> list[Judgement]:
    return list(filter(None, map(verdicts.find, blanks)))


def _make_query(read: Texts, rubric: Rubric, blank: Judgement, verdicts: Verdicts) -> JudgeQuery:
    if blank.is_comparison:
        purpose, messages = "compare", partial(make_pair_messages, read, rubric)
        reply: type[JudgeReply] = ComparisonReply
    else:
        purpose, messages = "rate", partial(make_rating_messages, read[0], rubric)
        scale = tuple(range(rubric.low, rubric.high + 1))
        reply = narrow_reply(RatingReply, "rating", scale)
    key = CallKey(".".join(blank.texts), 0, f"{purpose}.{rubric.name}", blank.repeat)
    return JudgeQuery(key, messages, reply, partial(_store, verdicts, blank))


def _store(
    verdicts: Verdicts,
    blank: Judgement,
    answered: ModelAnswer[RatingReply | ComparisonReply],
    recorded: RecordedReply,
) -> None:
    reply, value, why = answered.value, None, clean(answered.fault or "", NAME_LIMIT)
    if not answered.fallback:
        value = reply.rating if isinstance(reply, RatingReply) else _PLACES[reply.better]
        why = reply.why
    read, written = recorded.prompt_tokens, recorded.completion_tokens
    verdicts.add(
        replace(blank, value=value, why=why, prompt_tokens=read, completion_tokens=written)
    )
