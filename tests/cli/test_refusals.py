"""Whatever is asked of the command line: a sentence that names what is wrong, never a crash."""

import os
import shlex
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from tests.cli.conftest import Run

LONG, HUGE = "n" * 251, "9" * 5000
LIVE = "run tiny --hours 0.01 -q --out new.sqlite --policy"
PARTY = "run valentines_party --hours 0.02"
JUDGE = "judge run.sqlite --model scripted:neighbour"
ASKED = "--model scripted:neighbour --policy-config"
FILES = {
    "words.toml": "no toml\n",
    "deep.toml": "a = " + "[" * 5000,
    "study.toml": 'name = "x"\nscenario = "tiny"\nhours = 0.01\nseeds = 1\npolicy = "idle"\n',
    "bad.toml": '[[events]]\nat = 2023-02-13T09:02:00\nkind = "news"\nwat = 1\n',
    "empty": "",
    "mine.py": "mine",
    "no.sqlite": "no run",
}

RUNS = [
    (f"{LIVE} idle --hours -1", "hours: -1.0 is not allowed; more than 0"),
    (f"{LIVE} idle --hours nan", "hours: nan is not a finite number"),
    (f"{LIVE} idle --seed -1", "seed: -1 is not allowed; a whole number from 0 to"),
    (f"{LIVE} idle --seed {2**63}", "is not allowed; a whole number from 0 to"),
    (f"{LIVE} idle --interviews 21", "--interviews"),
    (f"{LIVE} idle --start 25:00", "start: '2023-02-13T25:00' is not a time"),
    (f"{LIVE} idle --limit calls=-1", "--limit calls: -1 is not allowed; a number from 0 on is"),
    (f"{LIVE} idle --limit dollars=nan", "--limit dollars: nan is not allowed"),
    (f"{LIVE} idle --limit fallbacks=2", "fallbacks: 2 is not allowed; a number from 0 to 1 is"),
    (f"{LIVE} idle --limit calls=1.5", "--limit calls: '1.5' is not a whole number"),
    (f"{LIVE} idle --limit call=5", "there is no 'call' here"),
    (f"{LIVE} idle --limit none=3", "--limit none: it stands alone"),
    (f"{LIVE} idle --endpoint concurrency=1000000000", "a number from 1 to 4,096 is"),
    (f"{LIVE} idle --endpoint timeout=soon", "--endpoint timeout: 'soon' is not a number"),
    (f"{LIVE} idle --endpoint tiemout=5", "there is no 'tiemout'; allowed: timeout, deadline"),
    (f"{LIVE} idle --endpoint timeout", "expected NAME=VALUE"),
    (f"{LIVE} idle --endpoint timeout=-1", "timeout: -1 s is not allowed"),
    (f"{LIVE} idle --endpoint reasoning_effort=very", "reasoning effort 'very' is not known"),
    (f"{LIVE} idle --endpoint price_in=1", "price_out is missing"),
    (f"{LIVE} idle --endpoint price_in=2.5 --endpoint price_out=1_0", "price_out: '1_0'"),
    (f"{LIVE} scripted --policy-config share=lots", "share: 'lots' is not allowed"),
    (f"{LIVE} scripted --policy-config share=NaN", "share: 'NaN' is not allowed"),
    (f"{LIVE} scripted --policy-config share={'[' * 5000}", "share"),
    (f"{LIVE} random --policy-config message=1", "message: 1 is not allowed; text is"),
    *((f"{LIVE} {p} {ASKED} wrong=1", f"policy '{p}'") for p in ("idle", "random", "scripted")),
    *((f"{LIVE} {p} {ASKED} self=1", p) for p in ("idle", "reactive")),
    (f"{LIVE} reactive --policy ada=ai_town {ASKED} ai_town.latency=5", "latency"),
    (f"{LIVE} idle --policy-config x", "'x': expected KEY=VALUE"),
    (f"{LIVE} idle --policy random", "for whom is one? NAME=random"),
    ("run tiny --out a.sqlite --policy ''", "--policy: '' is not allowed; give a value"),
    (f"{LIVE} scripted --policy-config share=1 --policy-config share=0", "'share' is given twice"),
    (f"{LIVE} 'Ada Brook='", "'Ada Brook=': expected NAME=VALUE"),
    (f"{LIVE} idle --policy Ada=idle --policy Ada=random", "'Ada' is given twice: 'idle' and"),
    (f"{LIVE} idle --policy 'Ada Brook=nope'", "no policy 'nope'"),
    (f"{LIVE} scriptd", "did you mean 'scripted'"),
    (f"{LIVE} solution", "policy 'solution' plays the episodes of a task alone"),
    (f"{LIVE} folder/none.py", "folder/none.py"),
    (f"{LIVE} {{long}}{{long}}.py", "too long"),
    (f"{LIVE} reactive {ASKED[:26]} --model adda=scripted", "did you mean Ada Brook?"),
    (f"{LIVE} reactive --model ada=scripted --model 'Ada Brook=scripted'", "has one already"),
    (f"{LIVE} reactive --model scripted --model Bne=scripted", "faculties: decide, interview"),
    ("run tiny", "genagents resume run.sqlite"),
    ("run tinny --out run.sqlite", 'did you mean "tiny"'),
    (f"{PARTY} --people lin", 'people: "lin" may be "Eddy Lin", "John Lin", "Mei Lin"; say which'),
    (f"{PARTY} --people Klaas", 'no person "Klaas" in valentines_party; did you mean "Klaus Muel'),
    (f"{PARTY} --place kitchen", 'place: "kitchen" may be'),
    (f"{PARTY} --place libary", 'no place "libary" in valentines_party; did you mean "Oak Hill'),
    (f"{PARTY} --policy Klaas=idle", "nobody is called 'Klaas'; did you mean Klaus Mueller?"),
    (f"{PARTY} --policy sam=idle --policy 'Sam Moore=random'", "is named twice"),
]
OTHERS = [
    ("resume run.sqlite --hours -1", "--hours"),
    ("report run.sqlite --price-as gpt-9", "no list price for 'gpt-9'"),
    ("report run.sqlite --degraded maybe", "--degraded"),
    ("report run.sqlite --trust-measures", "--trust-measures needs a sweep's folder"),
    ("report . --price-as gpt-4o", "--price-as needs run files"),
    ("show run.sqlite --from 9999999999999999", "is not a time"),
    ("export run.sqlite", "run.html"),
    ("export run.sqlite run.sqlite page.html", "--format chat"),
    ("export run.sqlite --best 1 --out best", "--format chat"),
    ("export folder --format chat --out none", "no run files"),
    ("export run.sqlite folder.html", "folder.html cannot be written"),
    ("interview run.sqlite --repeats {huge}", "--repeats"),
    ("interview run.sqlite --agent Zoe", "nobody is called 'Zoe'; there are Ada Brook, Ben Carver"),
    ("interview run.sqlite --at noonish", "not a time"),
    ("interview run.sqlite --at 11:00", "it goes from 2023-02-13T09:00:00 to"),
    ("interview run.sqlite --question \x1b[31m", "no words in it"),
    ("interview run.sqlite --agent Ada", "the policy of Ada Brook remembers nothing"),
    ("import-memories nowhere.sqlite --out m", "no run file nowhere.sqlite"),
    ("import-memories folder --out m", "no person in it"),
    ("import-memories folder --at 10:00 --out m", "--at: only of a run"),
    ("import-memories folder nowhere.sqlite --out m", "not both"),
    ("fork run.sqlite --out f.sqlite", "say --at where to fork"),
    ("fork run.sqlite --out f.sqlite --silence ada", "expected WHO@TIME"),
    ("fork run.sqlite --out f.sqlite --silence nobody@09:01", "nobody"),
    ("fork run.sqlite --out f.sqlite --silence ada@09:05:50", "says nothing from then on"),
    ("fork run.sqlite --out f.sqlite --silence ada@09:02..09:01", "it ends before it begins"),
    ("fork run.sqlite --out f.sqlite --say ada@09:01", "expected WHO@TIME=WORDS"),
    (f"fork run.sqlite --out f.sqlite --say ada@09:01={'x' * 301}", "these are 301"),
    ("fork run.sqlite --out f.sqlite --at 09:01 --policy idle", "Write it as PEOPLE=idle"),
    ("fork run.sqlite --out f.sqlite --say ada@09:01=A --silence ada@09:01", "is changed twice"),
    ("fork run.sqlite --out f.sqlite --events none.toml", "none.toml"),
    ("fork run.sqlite --out f.sqlite --events bad.toml", "bad.toml:events[0].wat"),
    ("fork run.sqlite --out f.sqlite --at 09:03 --say ada@09:01=Hello.", "not after the fork"),
    ("film run.sqlite x.png --at 14:00", "--at 14:00: run.sqlite has no 2023-02-13T14:00:00; it"),
    ("film run.sqlite x.avi", "a film is a .gif or an .mp4, a picture a .png; name it x.gif"),
    ("film run.sqlite x.gif --at 09:05", "--at goes with a .png"),
    ("film run.sqlite x.png --to 09:05", "--from and --to with a .gif or an .mp4"),
    ("film run.sqlite x.png --place Cotage", "no place called 'Cotage'; did you mean Cottage"),
    ("film run.sqlite x.png --follow 'Ben Craver'", "'Ben Craver'; did you mean Ben Carver?"),
    ("film run.sqlite x.png --place Cottage --follow Ada", "not both"),
    ("film run.sqlite none/x.gif", "there is no folder none; make it first"),
    ("film run.sqlite x.gif --from 09:01 --to 09:01", "--from 09:01:00 is not before"),
    ("film run.sqlite x.gif --speed 1", "at most 3,000 go into a GIF: say --speed"),
    ("view run.sqlite --at noon", "'noon' is not a time"),
    ("view run.sqlite --person nobody", "nobody is called 'nobody'"),
    ("view run.sqlite --host 0.0.0.0", "--token"),
    ("view run.sqlite --host no.such.host.invalid --token new", "cannot listen there"),
    ("view run.sqlite --token weak", "16 to 200"),
    ("demo opera", "party"),
    ("doctor --endpoint timeout=60 --endpoint deadline=5", "does not fit"),
]
LABORATORY = [
    ("list measures densty", "did you mean 'density'?"),
    ("list keys rulse", 'did you mean "rules"?'),
    ("list tasks errant", "task: no 'errant'; did you mean errand? (`genagents list tasks` lists"),
    ("list tasks --seed 3", "of which task? errand"),
    ("list tasks meet --seed -1", "--seed"),
    ("list tasks errand --seed 3 --out tiny", "comes with the package"),
    ("list tasks errand --seed 3 --out folder", "nothing is replaced"),
    ("validate nowhere", "no scenario"),
    ("new folder", "folder is there already, and nothing is replaced; take another name"),
    ("new dangling", "dangling is there already"),
    ("new tiny", "'tiny' is a scenario that comes with the package"),
    ("new 'My Town'", "'My Town' is no name of a scenario; lower-case letters"),
    ("new empty/pond", "empty"),
    ("new-policy mine", "mine.py is there already"),
    ("new-policy scripted", "'scripted' is a policy that comes with the package"),
    ("new-policy talk", "'talk': its class Talk would hide what it uses"),
    ("new-policy none", "'none' is a word of Python's own"),
    ("new-policy mine.toml", "'mine.toml' is no name of a policy"),
    ("compare tiny --policies scripted,scirpted", "scirpted"),
    ("compare tiny --policies ,", "no policy is named"),
    ("compare tiny --policies idle,idle", "policy 'idle' comes twice"),
    ("compare tiny --policies 'lyfe paper'", "'paper': expected KEY=VALUE"),
    ("compare tiny --policies solution,idle", "plays the episodes of a task alone"),
    ("compare tiny --people 'Adda Brook'", "Ada Brook"),
    ("compare tiny --out empty", "empty is a file"),
    ("sweep", "EXPERIMENT|DIR"),
    ("sweep .", "no folder of a sweep"),
    ("sweep . --out out", "is a folder"),
    ("sweep study.toml --pilot", "--pilot needs --dry-run"),
    ("sweep study.toml --trial 0", "name the folder of its sweep"),
    ("sweep study.toml --dry-run --json", "a dry run only plans one"),
    ("sweep study.toml --dry-run --seeds -1", "seeds"),
    ("sweep study.toml --dry-run --workers 1000000000000000000000000000000", "--workers"),
    (f"{JUDGE} --rubric believability --repeats 1000000000000000000000000000000", "--repeats"),
    (f"{JUDGE} --rubric believable", '"believable" is unknown; did you mean'),
    (f"{JUDGE} --sheet x.csv", "--model needs a model as judge"),
    ("judge run.sqlite --sheet s.csv --seed -1", "--seed"),
    ("judge no.sqlite --rubric believability", "none of these run files can be read"),
    ("judge .", "no folder of a sweep"),
    ("judge . run.sqlite", "name one folder, or run files"),
    ("judge . --rubric believability --limit none", "there is no 'none' here; allowed: calls"),
    ("judge run.sqlite --ranks", "--ranks needs --sheet"),
    ("judge run.sqlite --sheet x.csv --read y.csv", "--sheet needs a command without --read"),
    ("judge run.sqlite --sheet x.csv --ranks --pairwise", "--pairwise needs a model as judge"),
    ("judge run.sqlite --sheet x.csv --limit calls=0", "--limit needs a model as"),
    ("judge run.sqlite --read x.csv --by A --json", "--json needs a model as"),
    ("judge run.sqlite --read x.csv", "--by"),
    ("judge run.sqlite --read x.csv --by A", "x.csv cannot be read"),
    ("judge run.sqlite --repeats 2", "--repeats needs --rubric or --pairwise"),
    ("judge run.sqlite --rubric believability --seed 5", "--seed needs --sheet"),
]
READERS = ("hash", "show", "resume", "judge", "interview", "report")
NONE = ("missing", "folder", "empty", "dangling", "pipe", "words.toml")
NOT_READ = {
    "folder": "folder cannot be read: this is a folder",
    "pipe": "pipe cannot be read: this is no regular file",
    "latin.toml": "no UTF-8 text",
}
PLACES = [
    *((f"interview '{path}'", "is a folder; name a run file") for path in (".", "/", "")),
    *((f"{READERS[k % 6]} {path}", path) for k, path in enumerate(NONE)),
    *((f"{READERS[(k + 3) % 6]} {path}", path) for k, path in enumerate(NONE)),
    *((f"{name} {{long}}{{long}}", "name is too long") for name in ("hash", "report", "sweep")),
    *((f"judge run.sqlite --by Ana --read {path}", said) for path, said in NOT_READ.items()),
    *((f"{JUDGE} --rubric ./{path}", said) for path, said in NOT_READ.items()),
    (f"{JUDGE} --rubric ./words.toml", "no TOML"),
    (f"{JUDGE} --rubric ./deep.toml", "nested too deeply"),
    (f"{JUDGE} --rubric ./missing.toml", "missing.toml cannot be read: there is no such file"),
    *((f"sweep {path} --dry-run", path) for path in (*NONE, "latin.toml", "deep.toml")),
    ("list measures {long}{long}.py:X", "this name is too long"),
    (f"{LIVE} idle --out folder", "folder"),
    (f"{LIVE} idle --out folder --force", "folder"),
    (f"{LIVE} idle --out empty/x", "empty"),
    (f"{LIVE} idle --out missing/x", "no folder missing"),
    (f"{LIVE} idle --out /proc/x", "/proc/x"),
    (f"{LIVE} idle --out {{long}}", "too long"),
    *((f"{words} empty/x", "is a file") for words in ("export run.sqlite --out", "report . --out")),
    ("export run.sqlite --out /proc/x/y", "/proc/x/y cannot be written: there is"),
    ("export run.sqlite --out dangling", "dangling cannot be written: a file stands"),
    ("report run.sqlite --out empty", "empty is a file"),
    ("report run.sqlite --out {long}{long}", "this name is too long"),
    ("judge run.sqlite --sheet folder", "folder cannot be written: this is"),
    ("judge run.sqlite --sheet pipe", "pipe cannot be written: this is no"),
    ("sweep study.toml --dry-run --out empty", "empty is a file"),
    ("sweep study.toml --dry-run --out {long}{long}", "this name is too long"),
]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a run file of six minutes, in which Ada does what comes to her."""
    path = tmp_path_factory.mktemp("lived") / "run.sqlite"
    own = {"policy": PolicySpec("scripted"), "policy_for": {"Ada Brook": "random"}}
    run(RunSpec(TownConfig("tiny", hours=0.1), **own), path, RunOptions())  # type: ignore[arg-type]
    return path.read_bytes()


@pytest.fixture
def folder(genagents: Run, lived: bytes) -> Path:
    """Fill the current folder with a run file and things that are none."""
    Path("run.sqlite").write_bytes(lived)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("latin.toml").write_bytes(b'name = "caf\xe9"\n')
    Path("dangling").symlink_to("nowhere")
    Path("folder").mkdir()
    Path("folder.html").mkdir()
    os.mkfifo("pipe")
    return Path.cwd()


@pytest.mark.parametrize(
    ("command", "said"), [*RUNS, *OTHERS, *LABORATORY, *PLACES], ids=lambda words: words[:60]
)
def test_a_mistake_is_a_sentence_that_names_it_and_changes_nothing(
    genagents: Run, folder: Path, command: str, said: str
) -> None:
    before = {file: file.is_file() and file.read_bytes() for file in folder.rglob("*")}
    code, out, err = genagents(*shlex.split(command.format(long=LONG, huge=HUGE)))
    assert (code, out) == (2, ""), err
    assert said in " ".join(err.split())
    assert "Traceback" not in err
    assert "genagents: unexpected" not in err
    assert {file: file.is_file() and file.read_bytes() for file in folder.rglob("*")} == before
