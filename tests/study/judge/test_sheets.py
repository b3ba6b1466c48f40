import csv
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.study.judge import (
    JudgedText,
    Judgement,
    JudgingResult,
    Rubric,
    Verdicts,
    load_rubric,
    read_sheet,
)
from genagents_env.study.judge import write_sheets as write
from genagents_env.study.judge.rankings import rank_conditions
from genagents_env.study.judge.sheets import make_groups, make_id
from tests.study.judge.planted import CONDITIONS, QUALITY, WORDS, answer, answers

RUBRIC = load_rubric("believability")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, rows: list[dict[str, str]], delimiter: str = ",", end: str = "\r\n") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator=end)
        writer.writeheader()
        writer.writerows(rows)


def quality(text: str) -> int:
    return next(number for words, number in QUALITY.items() if f"Some {words} " in text)


def write_table(path: Path, **options: object) -> list[dict[str, str]]:
    path.unlink(missing_ok=True)
    write(answers(), path, RUBRIC, **options)  # type: ignore[arg-type]  # tests mean it
    return table(path)


def read_answers(
    path: Path, given: list[JudgedText] | None = None, rubric: Rubric = RUBRIC
) -> tuple[JudgingResult, list[Judgement]]:
    verdicts = Verdicts(path.with_suffix(".jsonl"))
    return read_sheet(path, given or answers(), rubric, "Ana", verdicts), list(verdicts)


def faults(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as told:
        read_answers(path)
    return str(told.value).splitlines()


def test_a_sheet_is_blind_and_shuffled_by_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = write_table(path)
    assert len(rows) == 18
    assert list(rows[0]) == ["id", "person", "question", "day", "answer", "rating", "note"]
    content = path.read_text(encoding="utf-8-sig")
    assert not any(f"{name}-s" in content or f",{name}," in content for name in CONDITIONS)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfid,")
    assert {row["day"] for row in rows} == {"Monday\n08:00:10 Ada Brook: making tea"}
    ids = [row["id"] for row in rows]
    assert ids == [row["id"] for row in write_table(path)]
    assert ids[:5] == [row["id"] for row in write_table(path, sample=5)]
    assert ids != [row["id"] for row in write_table(path, seed=1)]
    plain = [make_id(group, RUBRIC) for group in make_groups(answers(), RUBRIC)]
    assert sorted(plain) == sorted(ids) != ids


@pytest.mark.parametrize(
    ("sample", "sizes", "shared", "left"),
    [(None, [8, 7, 7], 2, 0), (5, [5, 5, 5], 1, 5), (100, [8, 7, 7], 2, 0)],
)
def test_several_raters_share_a_fifth_of_their_rows(
    tmp_path: Path, sample: int | None, sizes: list[int], shared: int, left: int
) -> None:
    written, rest = write(answers(), tmp_path / "s.csv", RUBRIC, sample=sample, raters=3)
    assert [path.name for path in written] == ["s-1.csv", "s-2.csv", "s-3.csv"]
    assert (list(written.values()), rest) == (sizes, left)
    own = [{row["id"] for row in table(path)} for path in written]
    assert [len(a & b) for a, b in combinations(own, 2)] == [shared] * 3
    assert len(set.union(*own)) == 18 - left


def test_answers_in_the_same_words_are_rated_once_and_count_everywhere(tmp_path: Path) -> None:
    """Two conditions that say the same in two seeds, one of them at both ends, and once not."""
    same = [answer(name, seed=k, run=f"{name}-{k}") for name in ("full", "none") for k in (0, 1)]
    more = [answer("full", seed=2, text="Some other answer"), answer("full", when="before")]
    path = tmp_path / "s.csv"
    write([*same, *more], path, RUBRIC)
    rows = table(path)
    assert len(rows) == 3
    for row in rows:
        row["rating"] = "4"
    fill(path, rows)
    done, given = read_answers(path, [*same, *more])
    assert (done.asked, done.given, done.shared) == (6, 6, 3)
    assert {one.texts for one in given} == {(one.id,) for one in (*same, *more)}
    again, _ = read_answers(path, [*same, *more])
    assert (again.before, again.given, again.shared) == (6, 0, 0)


def test_a_person_s_comparisons_all_count_as_they_were_made(tmp_path: Path) -> None:
    """Two of three conditions say the same in two seeds, and are ranked otherwise."""
    texts = {"full": "very good", "no plans": "rather good"}
    given = [answer(name, seed=k, text=text) for name, text in texts.items() for k in (0, 1)]
    given += [answer("none", seed=k, text=f"bad {k}") for k in (0, 1)]
    path = tmp_path / "s.csv"
    write(given, path, RUBRIC, ranks=True)
    rows = table(path)
    best = {"1": "very good", "2": "rather good"}  # of each group
    groups: dict[str, str] = {}
    for row in rows:
        first = best[groups.setdefault(row["group"], str(len(groups) + 1))]
        row["rank"] = "3" if "bad" in row["answer"] else "1" if row["answer"] == first else "2"
    fill(path, rows)
    done, verdicts = read_answers(path, given)
    (found,) = rank_conditions(verdicts)
    assert (done.shared, found.n, found.both) == (0, 6, 0)
    assert found.mean_ranks == {"full": 1.5, "no plans": 1.5, "none": 3.0}


@pytest.mark.parametrize(
    ("delimiter", "end", "mark"),
    [(",", "\r\n", b""), (";", "\n", b"\xef\xbb\xbf"), ("\t", "\n", b"")],
)
def test_a_filled_sheet_is_read_however_it_was_saved(
    tmp_path: Path, delimiter: str, end: str, mark: bytes
) -> None:
    path = tmp_path / "s.csv"
    rows = write_table(path)
    for row in rows[:10]:
        row["rating"], row["note"] = f" {quality(row['answer'])}.0 ", "odd; isn't, it"
    fill(path, rows, delimiter, end)
    path.write_bytes(mark + path.read_bytes())
    done, verdicts = read_answers(path)
    assert (done.judge, done.asked, done.given, len(verdicts)) == ("Ana", 18, 10, 10)
    for one in verdicts:
        assert (one.judge, one.by, one.why) == ("Ana", "human", "odd; isn't, it")
        assert one.value == QUALITY[WORDS[one.conditions[0]]]


def test_ranks_become_comparisons(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = write_table(path, ranks=True)
    assert list(rows[0]) == [
        *("id", "group", "person", "question", "day", "answer", "rank", "note")
    ]
    groups = [row["group"] for row in rows]
    assert groups == sorted(groups) == [str(k) for k in range(1, 7) for _ in range(3)]
    assert len({quality(row["answer"]) for row in rows[::3]}) > 1
    for row in rows:
        row["rank"] = {7: "1", 4: "2", 1: "5"}[quality(row["answer"])]
    rows[0]["note"], rows[1]["note"] = "good", "so so"
    fill(path, rows[::-1])
    more = [*answers(), answer("full", run="other", text="Another run of seed 0.")]
    _, verdicts = read_answers(path, more)  # answers of more runs do no harm
    assert len(verdicts) == 18
    assert all(one.is_comparison for one in verdicts)
    assert {one.why for one in verdicts} == {"", "good", "so so", "so so; good"}
    (found,) = rank_conditions(verdicts)
    assert found.mean_ranks == {"full": 1.0, "no plans": 2.0, "none": 3.0}
    assert (found.judge, found.by, found.both) == ("Ana", "human", 0)


def test_every_fault_is_told_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = write_table(path)
    for k, rating in enumerate(("8", "x", "3.5", "1e1")):
        rows[k]["rating"] = rating
    rows[4]["id"] = "a000000000000.r0"
    rows[5]["id"] = rows[6]["id"]
    rows[7]["id"] = rows[7]["id"].partition(".")[0] + ".r12345678"
    fill(path, rows)
    told = faults(path)
    allowed = "allowed: a whole number from 1 to 7, or nothing"
    assert told[0] == f'{path}: row 2: column rating: "8" is not allowed; {allowed}'
    assert [line.split(": column ")[0][-6:] for line in told] == [
        f" row {k}" for k in (2, 3, 4, 5, 6, 7, 8, 9)
    ]
    assert "is no answer of these runs" in told[4]
    assert "the same id stands in 2 rows" in told[5]
    assert "another rubric than believability as it is now" in told[7]


def test_ranks_are_of_every_answer_of_a_group_or_of_none(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = write_table(path, ranks=True)
    rows[0]["rank"] = "100"
    fill(path, rows)
    assert '"100" is not allowed; allowed: a whole number from 1 to 99' in faults(path)[0]
    rows[0]["rank"] = "1"
    fill(path, rows)
    assert faults(path)[0].endswith(": rank every answer of this group, or none")
    for row in rows[:3]:
        row["rank"] = "1"
    fill(path, rows)
    done, verdicts = read_answers(path)
    assert (done.asked, done.given, {one.value for one in verdicts}) == (18, 3, {"tie"})


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "one column of each name is wanted: id, rating; there are none"),
        (b"id,note\r\n", "wanted: rating; there are"),
        (b"id,rating,rating\r\n", "wanted: rating"),
        (b"\xff\xfei\x00d\x00", "save it as UTF-8"),
        (b'id,rating\r\n"a,1', "this is no CSV"),
    ],
)
def test_what_is_no_sheet(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    assert told in faults(path)[0]


def test_what_is_wrong_with_a_rater_or_a_sheet_to_be_is_said(tmp_path: Path) -> None:
    write_table(tmp_path / "s.csv")
    with pytest.raises(ConfigError, match="needs a name"):
        read_sheet(tmp_path / "s.csv", answers(), RUBRIC, " ", Verdicts(tmp_path / "v.jsonl"))
    with pytest.raises(ConfigError, match="there is nothing to judge"):
        make_groups(answers(conditions=("full",)), RUBRIC, ranks=True)
    with pytest.raises(ConfigError, match="cannot be written"):
        write(answers(), tmp_path / "no" / "s.csv", RUBRIC)
    with pytest.raises(ConfigError, match=r"s\.csv exists, and may be filled in"):
        write(answers(), tmp_path / "s.csv", RUBRIC)


@given(text=st.text(max_size=60))
def test_whatever_was_said_a_sheet_is_safe_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("said") / "s.csv"
    both = [answer("full", text=text), answer("none", text=f"={text}")]
    write(both, path, RUBRIC, ranks=True)
    rows = table(path)
    for row in rows:
        assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in row.values())
        row["rank"] = "1"
    fill(path, rows)
    (one,) = read_answers(path, both)[1]
    assert one.value == "tie"


@pytest.mark.parametrize("sign", ["\uff1d", '"=', "\u201c@"])
def test_an_answer_is_no_formula_in_a_sheet(tmp_path: Path, sign: str) -> None:
    said = [answer("full", text=f"{sign}SUM(1)"), answer("none", text="No.")]
    write(said, tmp_path / "s.csv", RUBRIC)
    told = {row["answer"] for row in table(tmp_path / "s.csv")}
    assert told == {"No.", f"'{sign}SUM(1)"}


def test_instructions_tell_scale_and_people_and_no_condition(tmp_path: Path) -> None:
    write_table(tmp_path / "s.csv")
    told = (tmp_path / "s.txt").read_text()
    assert "a whole number from 1 to 7" in told
    assert "Ada keeps the cottage" in told
    assert not any(name in told for name in ("no plans", "full"))
    write_table(tmp_path / "r.csv", ranks=True)
    assert "1 for the best" in (tmp_path / "r.txt").read_text()
