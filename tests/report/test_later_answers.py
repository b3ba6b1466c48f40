from pathlib import Path

from genagents_env.judge.kept_answers import WordedAnswer, add_answers, find_kept_file, make_answers
from genagents_env.record import RunReader
from genagents_env.record.canonical import canonical_hash
from genagents_env.report.run_results import measure_runs
from genagents_env.report.run_text import describe_words
from tests.report.planted import ADA, BEN, cake


def keep(run: Path, *, source: str | None = None) -> Path:
    """Keep beside a run what Ada answered at its end to one who asked as Ben."""
    with RunReader(run) as record:
        answers = make_answers(
            record,
            record.last_tick,
            "full",
            {ADA: [WordedAnswer("Any crumbs?", "Ben has some.", evidence=(4, 99))]},
            source=canonical_hash(run) if source is None else source,
            by="toy",
            interviewer=BEN,
        )
    add_answers(find_kept_file(run), answers)
    return find_kept_file(run)


def test_answers_kept_beside_a_run_are_told_with_their_evidence(tmp_path: Path) -> None:
    run = cake(tmp_path / "a.sqlite")
    plain = measure_runs([run]).summaries[0]
    keep(run)
    results = measure_runs([run])
    (told,) = results.summaries
    assert told.answers[:-1] == plain.answers
    last = told.answers[-1]
    assert (last.agent, last.text, last.tick) == (ADA, "Ben has some.", 60)
    assert last.condition == f"condition full, given by toy, asked by {BEN}"
    assert [one.known for one in last.evidence] == [True, False]
    assert told.as_json() == plain.as_json()
    assert results.cautions == ()
    lines = list(describe_words(told))
    assert (
        f"        After the run (condition full, given by toy, asked by {BEN}): Ben has some."
        in lines
    )


def test_answers_of_another_run_are_left_out_and_counted(tmp_path: Path) -> None:
    run = cake(tmp_path / "a.sqlite")
    path = keep(run, source="f" * 64)
    results = measure_runs([run])
    assert not any(one.condition for one in results.summaries[0].answers)
    (caution,) = results.cautions
    assert caution.startswith(f"{path}: 1 of 1 answers are left out")


def test_a_file_that_cannot_be_read_is_a_caution(tmp_path: Path) -> None:
    run = cake(tmp_path / "a.sqlite")
    path = find_kept_file(run)
    path.write_text("nonsense\nmore\n")
    results = measure_runs([run])
    (caution,) = results.cautions
    assert str(path) in caution
    assert results.summaries[0].answers
