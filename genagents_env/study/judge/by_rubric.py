"""Judging by a rubric: a model rates texts, or says which of two conditions' texts is the better.

What was said before is not asked again, and where a judge would read the very same it is asked
once. Everything is asked once before anything is asked twice, seed by seed, so that a session that
stops early has judged the conditions alike.
"""

from collections.abc import Iterable, Iterator, Sequence
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
    RatingReply,
    make_pair_messages,
    make_rating_messages,
    make_rating_reply,
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
from genagents_env.study.judge.verdicts import By, Judgement, Verdicts, group_by
from genagents_env.text import clean

TEMPERATURE = 0.7  # repeats at temperature 0 would all be equal

Texts = Sequence[JudgedText]  # one that is rated, or two in the order of reading


def rate(
    texts: Iterable[JudgedText],
    rubric: Rubric,
    options: RunOptions,
    verdicts: Verdicts,
    repeats: int = 3,
    *,
    judge: str | None = None,
    watch: Watch | None = None,
    again: str = "",
) -> JudgingResult:
    """Let a model rate every text that the rubric covers.

    Args:
        texts: in any order; the same one twice is one.
        rubric: whose `about` is what the texts are.
        options: model (None is the default one), limits, shared budget, concurrency, retries.
        verdicts: where they are kept.
        repeats: how often each is asked, 1 or more.
        judge: the name under which they are kept; None is the model's.
        watch: called after every verdict.
        again: the command that resumes, for the message of what is returned.

    Raises:
        ConfigError: there is no such model, `judge` has no words, or `repeats` is below 1.
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
        RunLocked: another process adds to these verdicts.
    """
    covered = {one.id: one for one in texts if rubric.covers(one)}
    due = [(one,) for one in sorted(covered.values(), key=lambda one: one.seed)]
    return _ask(due, rubric, options, verdicts, repeats, judge, watch, again)


def compare(
    texts: Iterable[JudgedText],
    rubric: Rubric,
    options: RunOptions,
    verdicts: Verdicts,
    repeats: int = 1,
    *,
    judge: str | None = None,
    watch: Watch | None = None,
    again: str = "",
) -> JudgingResult:
    """Let a model say of every pair of conditions' texts which is the better.

    Each pair is read in both orders, since judges prefer a place as well as an answer: how often
    the verdict flips with the order is the position bias that `rankings.rank_conditions` counts.

    Args:
        texts: of all conditions, in any order.
        rubric: whose `versus` is asked.
        options: as of `rate`, as are the others.
        verdicts: where they are kept.
        repeats: in each order.
        judge: its name.
        watch: called after every verdict.
        again: the command that resumes.

    Raises:
        ConfigError: the rubric compares nothing, as `group_comparable`, or as `rate`.
        LLMRefused: as `rate`, as is RunLocked.
    """
    if not rubric.versus:
        raise ConfigError(f"rubric {rubric.name}: it has no `versus`, so no pairs are compared")
    groups = sorted(group_comparable(texts, rubric).items(), key=lambda group: group[0][1])
    due = [
        order
        for _, said in groups
        for first, second in combinations(sorted(said), 2)
        for order in ((said[first], said[second]), (said[second], said[first]))
    ]
    return _ask(due, rubric, options, verdicts, repeats, judge, watch, again)


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
    """Yield what one judge gave some texts for all others, of the same end, that read the same.

    Args:
        given: by one judge, on some of `texts`; comparisons are not copied.
        texts: of all conditions.
        rubric: that was applied.
    """
    said = {(one.when, one.contents): one for one in given if not one.is_comparison}
    rated = {one.texts for one in said.values()}
    for text in texts if said else ():
        one = said.get((text.when, (rubric.digest_shown(text),)))
        if one is not None and (text.id,) not in rated and rubric.covers(text):
            yield from _share(one, [make_blank([text], rubric, one.judge, one.by)])


def _ask(
    due: Sequence[Texts],
    rubric: Rubric,
    options: RunOptions,
    verdicts: Verdicts,
    repeats: int,
    judge: str | None,
    watch: Watch | None,
    again: str,
) -> JudgingResult:
    """Ask for every verdict on `due` that has not been given, and store each."""
    if repeats < 1:
        raise ConfigError(f"repeats is {repeats}; allowed: 1 or more")
    # The call's key has the texts' ids and the repeat, which decide the seed.
    session = JudgeSession(options, judge, run_seed=0, temperature=TEMPERATURE)
    known = {one.id: one for texts in due for one in texts}
    blanks = [
        make_blank(texts, rubric, session.name, "model", repeat)
        for repeat in range(repeats)
        for texts in due
    ]
    with verdicts:
        before = _count_given(verdicts, blanks)
        queries = []
        for group in group_by(blanks, lambda one: (one.repeat, one.contents)).values():
            given = next(filter(None, map(verdicts.find, group)), None)
            if given is not None:
                verdicts.add(*_share(given, [one for one in group if verdicts.find(one) is None]))
            else:
                texts = [known[id_] for id_ in group[0].texts]
                queries.append(_make_query(texts, rubric, verdicts, group))
        done = session.ask_all(queries, before=before, watch=watch, again=again)
        now = _count_given(verdicts, blanks) - before
        return replace(done, asked=len(blanks), given=now, shared=now - done.given)


def _count_given(verdicts: Verdicts, blanks: Iterable[Judgement]) -> int:
    return sum(verdicts.find(blank) is not None for blank in blanks)


def _share(given: Judgement, blanks: Iterable[Judgement]) -> list[Judgement]:
    """Return a verdict for texts in which a judge would read the very same, at no cost."""
    return [replace(blank, value=given.value, why=given.why) for blank in blanks]


def _make_query(
    texts: Texts, rubric: Rubric, verdicts: Verdicts, blanks: Sequence[Judgement]
) -> JudgeQuery:
    ids, repeat = ".".join(blanks[0].texts), blanks[0].repeat
    store = partial(_store, verdicts, blanks)
    if len(texts) == 1:
        key = CallKey(ids, 0, f"rate.{rubric.name}", repeat)
        messages = partial(make_rating_messages, texts[0], rubric)
        return JudgeQuery(key, messages, make_rating_reply(rubric.low, rubric.high), store)
    key = CallKey(ids, 0, f"compare.{rubric.name}", repeat)
    return JudgeQuery(
        key, partial(make_pair_messages, texts[0], texts[1], rubric), ComparisonReply, store
    )


def _store(
    verdicts: Verdicts,
    blanks: Sequence[Judgement],
    answered: ModelAnswer[RatingReply | ComparisonReply],
    recorded: RecordedReply,
) -> None:
    blank, *others = blanks
    value = None if answered.fallback else answered.value.verdict
    why = clean(answered.fault or "", NAME_LIMIT) if answered.fallback else answered.value.why
    tokens = recorded.prompt_tokens, recorded.completion_tokens
    one = replace(blank, value=value, why=why, prompt_tokens=tokens[0], completion_tokens=tokens[1])
    verdicts.add(one, *([] if answered.fallback else _share(one, others)))
