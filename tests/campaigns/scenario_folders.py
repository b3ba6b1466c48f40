"""Scenario folders from a generator are lived in for ten ticks, or refused with file and key.

Run: `python -m tests.campaigns.scenario_folders` (200 folders, two minutes). Each folder is a
shipped scenario with one or two mutations drawn by seed; a process of its own loads it and, if
it may, lives ten ticks of it with the policy `scripted`, in 10 s of the processor (imports apart)
and 1 GB of memory, without a traceback. CI takes a tenth.
"""

import argparse
import multiprocessing
import os
import re
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from genagents_env.config import TownConfig
from genagents_env.errors import ScenarioError
from genagents_env.run import RunSpec, run
from genagents_env.scenario import list_scenario_names, load_scenario

SHIPPED = Path(__file__).parents[2] / "scenarios"
SECONDS, BYTES = 10, 1 << 30
_SERVER = multiprocessing.get_context("forkserver")  # imports once, for all folders
_SERVER.set_forkserver_preload(["genagents_env.run", "genagents_env.policies.scripted"])
Draw = np.random.Generator
Mutation = Callable[[Path, Draw], None]
FAULT = re.compile(r"[^:\n]+(?:/[^:\n]+)*:[^:\n]+: \S")

VALUES = (
    "0", "-1", "1e308", "nan", "inf", "-inf", "999999999999999999", "9" * 400, "true", '""', "[]",
    "{}", '"(.*)*x"', '"(a|a)*b"', '"(?=x)y"', '"(?:.{900}){900}"', '"\\u0000"', '"\\u202e"', '"é́"',
    '"' + "x" * 5000 + '"', '"' + "́" * 3000 + '"', "9999-12-31T23:59:59", "0001-01-01T00:00:00",
    "2023-02-13T08:00:00Z", "08:00:00", '["nobody"]', '"../.."', "[" * 40 + "]" * 40, "1_0", "0x10",
    '"Hobbs Cafe"', '"nowhere"', "-0.0", "1e-300", '"\\\\b"', '"x{1000}"', '"^"', '"$"',
)  # fmt: skip
COUNTS = (50, 300, 1500, 9000, 40_000)


def make_folder(root: Path, seed: int) -> Path:
    draw = np.random.default_rng(seed)
    name = str(draw.choice(list_scenario_names()))
    folder = root / f"{name}_{seed}"
    shutil.copytree(next(SHIPPED.rglob(f"{name}/scenario.toml")).parent, folder)
    for _ in range(int(draw.integers(1, 3))):
        mutation = MUTATIONS[int(draw.integers(len(MUTATIONS)))]
        mutation(folder, draw)
    return folder


def _files(folder: Path, draw: Draw) -> Path:
    """Return one of the TOML files, mostly the main one."""
    files = sorted(file for file in folder.rglob("*.toml") if file.is_file())
    main = folder / "scenario.toml"
    if not files or (main in files and draw.random() < 0.6):
        return main
    return files[int(draw.integers(len(files)))]


def _edit_lines(folder: Path, draw: Draw, change: Callable[[list[str], int], None]) -> None:
    file = _files(folder, draw)
    if not file.is_file():
        return
    lines = file.read_bytes().decode("utf-8", "replace").split("\n")
    change(lines, int(draw.integers(len(lines))))
    file.write_text("\n".join(lines), encoding="utf-8")


def _pick(draw: Draw, values: tuple[str, ...]) -> str:
    return values[int(draw.integers(len(values)))]


def change_value(folder: Path, draw: Draw) -> None:
    value, turn = _pick(draw, VALUES), int(draw.integers(1 << 30))

    def change(lines: list[str], _: int) -> None:
        keyed = [i for i, line in enumerate(lines) if re.match(r"\w+ = ", line)]
        if keyed:
            i = keyed[turn % len(keyed)]
            lines[i] = f"{lines[i].split(' = ')[0]} = {value}"

    _edit_lines(folder, draw, change)


def change_word(folder: Path, draw: Draw) -> None:
    """Rename what something refers to, or is called."""
    word = _pick(draw, ("Zoe", "nowhere", "é", "a/b", "x" * 70, "cafe\\u0301", "Hobbs  Cafe", ""))

    def change(lines: list[str], i: int) -> None:
        lines[i] = re.sub(r'"[^"]*"', lambda _: f'"{word}"', lines[i], count=1)

    _edit_lines(folder, draw, change)


def add_people(folder: Path, draw: Draw) -> None:
    count, home = COUNTS[int(draw.integers(len(COUNTS)))], "homes" if draw.random() < 0.5 else "one"
    files = [file for file in sorted(folder.rglob("*.toml")) if file.is_file()]
    text = "\n".join(file.read_bytes().decode("utf-8", "replace") for file in files)
    places = re.findall(r'home = "([^"]+)"', text) or ["nowhere"]
    people = (
        f'[[people]]\nname = "Extra {i}"\npersona = "Extra {i} is here"\n'
        f'home = "{places[i % len(places) if home == "homes" else 0]}"\n'
        for i in range(count)
    )
    (folder / "people").mkdir(exist_ok=True)
    (folder / "people" / "zz_extra.toml").write_text("".join(people), encoding="utf-8")


def add_facts(folder: Path, draw: Draw) -> None:
    count, each = int(draw.choice((5, 90, 500, 5000))), int(draw.choice((1, 8, 40)))
    pattern = _pick(draw, (r"\bword{}\b", "(a|a)*{}b", r".{{0,80}}x{}", r"(\w+\s?)*{}\$", "é{}"))
    facts = (
        f'[[facts]]\nid = "extra_{i}"\nstatement = "Fact {i} it is."\npatterns = ['
        + ", ".join("'" + pattern.format(i * each + k) + "'" for k in range(each))
        + "]\n"
        for i in range(count)
    )
    _append(folder, "".join(facts))


def add_places(folder: Path, draw: Draw) -> None:
    count = int(draw.choice((10, 200, 1000, 5000)))
    size = _pick(draw, ("[2, 2]", "[5, 4]", "[40, 40]"))
    rooms = (
        f'[[sectors]]\nname = "House {i}"\narenas = [{{ name = "room", size = {size}, '
        f'objects = [{{ name = "bed" }}] }}]\n'
        for i in range(count)
    )
    _append(folder, "".join(rooms))


def draw_map(folder: Path, draw: Draw) -> None:
    side = int(draw.choice((1, 30, 512, 2000)))
    ragged = "\n".join("#" * int(draw.integers(1, side + 1)) for _ in range(side))
    noise = "".join(_pick(draw, tuple("#.+ abcdefgh\n")) for _ in range(side * 20))
    square, odd = ("." * side + "\n") * side, "é\x00\x1b[2J" * side
    text = _pick(draw, (ragged, noise, square, odd, ""))
    (folder / "map.txt").write_text(text, encoding="utf-8")


def extend(folder: Path, draw: Draw) -> None:
    base = _pick(draw, (*list_scenario_names(), folder.name, "nothing", "../tiny", "chain_0"))
    people = _pick(draw, ("", ", people = []", ', people = ["Zoe"]'))
    for i in range(int(draw.choice((1, 12))) if base == "chain_0" else 0):
        link = folder.parent / f"chain_{i}"
        link.mkdir(exist_ok=True)
        nearer = f'name = "chain_{i}"\ntitle = "Link"\nextends = "chain_{i + 1}"\n'
        (link / "scenario.toml").write_text(nearer, encoding="utf-8")
    if (file := folder / "scenario.toml").is_file():
        head = f'extends = {{ scenario = "{base}"{people} }}\n'
        file.write_bytes(head.encode() + file.read_bytes())


def break_file(folder: Path, draw: Draw) -> None:
    file = _files(folder, draw)
    if not file.is_file():
        return
    data, kind = file.read_bytes(), int(draw.integers(9))
    if kind < 6:
        changed = (
            b"",
            data[: int(draw.integers(len(data) + 1))],
            b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
            data.decode("utf-8", "replace").encode("utf-16"),
            data + b"\n# " + b"x" * (2 << 20),
            data + b"\n" + b"a." * 5000 + b"a = 1\n",
        )
        file.write_bytes(changed[kind])
        return
    file.unlink()
    if kind == 6:
        file.symlink_to(Path("/") / "etc" / "hostname")
    elif kind == 7:
        file.mkdir()
    else:
        os.mkfifo(file)


def nest_deeply(folder: Path, draw: Draw) -> None:
    depth = int(draw.choice((20, 200, 20_000)))
    _append(folder, "[deep]\nx = " + "[" * depth + "]" * depth + "\n")


def _append(folder: Path, text: str) -> None:
    file = folder / "scenario.toml"
    if file.is_file():
        file.write_bytes(file.read_bytes() + b"\n" + text.encode())


MUTATIONS: tuple[Mutation, ...] = (
    partial(_edit_lines, change=list.__delitem__), change_value, change_value, change_word,
    change_word, add_people, add_facts, add_places, draw_map, extend, break_file, nest_deeply,
)  # fmt: skip


def live(folder: Path) -> None:
    """Load a folder and live ten ticks of it; exit with 2 where it is refused, after saying why."""
    try:
        scenario = load_scenario(folder)
    except ScenarioError as error:
        print(error)
        sys.exit(2)
    hours = min(scenario.hours, 10 * scenario.seconds_per_tick / 3600)
    run(RunSpec(TownConfig(scenario, hours=hours)), folder.parent / "run.sqlite")


def _live_within_limits(folder: Path, said: Path) -> None:
    """Live a folder here; all words go to a file, and who takes too much is killed or fails."""
    file = os.open(said, os.O_WRONLY | os.O_CREAT)
    os.dup2(file, 1)
    os.dup2(file, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    live(folder)


def try_folder(folder: Path) -> tuple[str, str]:
    """Return what becomes of a folder in a process of its own, and what was said."""
    said = folder.parent / "said.txt"
    child = _SERVER.Process(target=_live_within_limits, args=(folder, said))
    child.start()
    child.join(20 * SECONDS)  # of the clock: machines may be busy
    child.kill()
    child.join()
    words = said.read_text(errors="replace").strip()
    if child.exitcode not in (0, 2) or "Traceback" in words:
        return f"exit {child.exitcode}", words
    if not words:
        return "lived", ""
    return "refused" if all(FAULT.match(line) for line in words.split("\n")) else "unclear", words


def main(folders: int = 200, seed: int = 0) -> None:
    """Make and try the folders of these seeds; raise with those that neither live nor are told."""
    fates: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        for number in range(seed, seed + folders):
            root = Path(place) / str(number)
            fate, words = try_folder(make_folder(root, number))
            fates[fate] += 1
            if fate not in ("lived", "refused"):
                wrong.append(f"{number}: {fate}: {words[-300:]}")
            shutil.rmtree(root)
    print(f"{folders} folders: {dict(fates)}")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folders", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    main(**vars(parser.parse_args()))
