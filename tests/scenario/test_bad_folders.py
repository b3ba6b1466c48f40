import os
import subprocess
import sys
from pathlib import Path

import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import load_scenario, validate_folder
from genagents_env.scenario.loader import inspect_folder
from tests.scenario.bad_folders import BAD, CHECKED, DRAWN, GOOD, Bad, change, write

CORPUS = sorted(BAD)


# As many start in a place as it holds.
FULL = change(dict(GOOD), Bad("people/vic.toml", 'start = "Barn"', 'start = "Inn/attic"', ""))


@pytest.mark.parametrize(
    "files", [GOOD, CHECKED, DRAWN, FULL], ids=["laid out", "checked", "drawn", "full"]
)
def test_the_base_of_the_corpus_is_valid(files: dict[str, str], tmp_path: Path) -> None:
    assert validate_folder(write(tmp_path, files)) == []


@pytest.mark.parametrize("name", CORPUS)
def test_validate_names_place_and_allowed_values_of_each_fault(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    faults = validate_folder(write(tmp_path, bad.files()))
    assert any(bad.message in fault for fault in faults), faults
    assert len(faults) <= 10 or name == "many faults", faults
    for fault in faults:
        file, key, text = fault.split(":", 2)
        assert file
        assert key
        assert text.startswith(" ")
        assert len(fault) < 1000
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path)
    assert caught.value.faults == faults


def test_references_are_checked_once_all_shapes_are_right(tmp_path: Path) -> None:
    files = change(change(dict(GOOD), BAD["home"]), BAD["host"])
    (shape,) = validate_folder(write(tmp_path, change(files, BAD["nan"])))
    assert shape.startswith("scenario.toml:hours: ")
    references = [fault.split(": ")[0] for fault in validate_folder(write(tmp_path, files))]
    assert references == ["people/vic.toml:home", "scenario.toml:gatherings[0].host"]


@pytest.mark.parametrize(
    "name", ["unknown kind", "date for a time", "no regex", "check without a kind"]
)
def test_a_fault_is_listed_once_without_its_consequences(name: str, tmp_path: Path) -> None:
    assert len(validate_folder(write(tmp_path, BAD[name].files()))) == 1


def test_what_is_allowed_and_has_no_effect_is_told(tmp_path: Path) -> None:
    files = change(dict(GOOD), Bad("people/vic.toml", "", "present = false", ""))
    events = '[[events]]\nat = 2023-02-13T11:00:00\nkind = "join"\nagent = "Una Ash"\n'
    files["scenario.toml"] += f"\nneed = 7\n{events}"  # of the reward, which stands last
    files["people/zoe.toml.txt"] = files["people/vic.toml"]
    checked = inspect_folder(write(tmp_path, files))
    assert checked.faults == []
    assert checked.warnings == [
        "people/zoe.toml.txt:file: not read; a file of people ends in .toml",
        "events: join at 2023-02-13 11:00:00: Una Ash is in town by then; nothing happens",
        "people: Vic Bay: not present, and no event `join` brings them",
        'reward: need: the reward "errand" does not use it',
    ]
    (tmp_path / "people" / "loop.toml").symlink_to("loop.toml")
    assert validate_folder(tmp_path) == ["people/loop.toml:file: a link that leads nowhere"]


def _link(folder: Path, name: str, target: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)


@pytest.mark.parametrize("name", ["scenario.toml", "map.txt", "people/vic.toml"])
@pytest.mark.parametrize("target", ["/etc/hostname", "/dev/zero", "../../elsewhere.toml"])
def test_no_file_outside_the_folder_is_read(name: str, target: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.toml").write_text(GOOD["people/vic.toml"])
    folder = write(tmp_path / "folder", DRAWN)
    _link(folder, name, target)
    faults = validate_folder(folder)
    assert any(fault.startswith(f"{name}:file: leads out of the sc") for fault in faults), faults


def test_a_folder_of_people_elsewhere_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", {"vic.toml": GOOD["people/vic.toml"]})
    folder = write(tmp_path / "folder", {"scenario.toml": GOOD["scenario.toml"]})
    _link(folder, "people", "../elsewhere")
    assert "people:file: not a folder; it holds one file a person" in validate_folder(folder)


def test_irregular_files_are_refused_without_blocking(tmp_path: Path) -> None:
    folder = write(tmp_path, GOOD)
    os.mkfifo(folder / "map.txt")
    (folder / "people" / "x.toml").mkdir()
    faults = validate_folder(folder)
    assert "map.txt:file: not a regular file" in faults
    assert any(fault.startswith("people/x.toml:file: ") for fault in faults)


def test_only_files_of_the_folder_are_opened(tmp_path: Path) -> None:
    folder = write(tmp_path / "folder", DRAWN)
    script = (
        "import sys\n"
        "from genagents_env.scenario import validate_folder\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(args[0]))\n"
        f"faults = validate_folder({str(folder)!r})\n"
        "names = [name for name in map(str, opened) if name[:1] == '/' and '.py' not in name]\n"
        "print(faults, *names, sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, *opened = ran.stdout.splitlines()
    assert first == "[]"
    assert sorted(opened) == sorted(str(folder.resolve() / name) for name in DRAWN)


@pytest.mark.parametrize("name", ["../tiny", "a\0b", "x" * 5000, "http://x/y", "C:\\x", ""])
def test_an_unknown_scenario_is_an_error_that_lists_the_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no scenario"):
        load_scenario(name or tmp_path / "nothing")


def test_several_people_may_share_a_file(tmp_path: Path) -> None:
    both = "".join(f"[[people]]\n{GOOD[name]}" for name in ("people/una.toml", "people/vic.toml"))
    files = {"scenario.toml": GOOD["scenario.toml"], "people/all.toml": both}
    assert [p.name for p in load_scenario(write(tmp_path, files)).people] == ["Una Ash", "Vic Bay"]
    files["people/all.toml"] = both.replace("Inn/attic", "Inn/atic")
    faults = validate_folder(write(tmp_path, files))
    assert [fault.split(": ")[0] for fault in faults] == [
        "people/all.toml:people[0].home",
        "people/all.toml:people[1].home",
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("when = 08:30 # in the morning", "08:30:00 in place of 08:30"),
        ("when = 08:30", "08:30:00 in place of 08:30"),
        (
            "when = [{ at = 2023-02-13T08:30, b = 1 }]",
            "2023-02-13T08:30:00 in place of 2023-02-13T08:30",
        ),
        ('x = "08:30"\ny = [', None),
    ],
)
def test_a_time_without_seconds_is_explained(line: str, told: str | None, tmp_path: Path) -> None:
    text = GOOD["scenario.toml"].replace("hours = ", f"{line}\nhours = ", 1)
    number = text[: text.index(line)].count("\n") + 1
    fault = validate_folder(write(tmp_path, {**GOOD, "scenario.toml": text}))[0]
    assert fault.startswith("scenario.toml:file: not TOML: ")
    if told is None:
        assert "seconds" not in fault
    else:
        assert fault.endswith(f"; line {number}: a time has seconds, {told}")


def test_a_scenario_that_is_not_there_gets_a_suggestion_not_the_whole_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "school").mkdir()
    (tmp_path / "school" / "scenario.toml").write_text("")
    for said, hint in (
        ("tinny", 'did you mean "tiny"?'),
        ("shcool", 'did you mean "school"?'),
        ("murder", 'did you mean "murder_mystery"?'),
        ("xyzzy", "`genagents list scenarios` lists them"),
    ):
        with pytest.raises(ScenarioError) as caught:
            load_scenario(said)
        assert hint in str(caught.value)
        assert len(str(caught.value)) < 200
