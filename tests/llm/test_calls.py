import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from genagents_env import llm
from genagents_env.llm.calls import CallKey, CompletionRequest, Message, prompt_hash
from genagents_env.llm.client import call_seed

REQUEST = CompletionRequest((Message("user", "Hi \ud800 é"),), {"type": "object"}, "r", 10, 0.5, 3)


def test_equal_requests_hash_alike_and_each_field_counts() -> None:
    assert prompt_hash(REQUEST) == prompt_hash(replace(REQUEST))
    others = [
        replace(REQUEST, messages=(Message("system", "Hi \ud800 é"),)),
        replace(REQUEST, schema=None),
        replace(REQUEST, schema_name="s"),
        replace(REQUEST, max_tokens=11),
        replace(REQUEST, temperature=0.6),
        replace(REQUEST, seed=4),
    ]
    assert len({prompt_hash(request) for request in [REQUEST, *others]}) == 7


def test_hash_does_not_change_between_versions() -> None:
    request = CompletionRequest(
        (Message("user", "Hi"),), {"b": 1, "a": [None, 2.5]}, "r", 9, 0.7, 1
    )
    assert prompt_hash(request).startswith("3ddbbc5cee4edc22")


def test_seeds_have_31_bits_and_depend_on_every_part_of_the_key() -> None:
    keys = [CallKey(a, t, p, n) for a in "ab" for t in (0, 1) for p in "xy" for n in (0, 1)]
    seeds = [call_seed(run, key) for key in keys for run in (1, 2)]
    assert len(set(seeds)) == 32
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_libraries_for_servers_are_imported_by_no_module_but_the_endpoint() -> None:
    folder = Path(llm.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "endpoint", "embedded"}
    names = [f"genagents_env.llm.{name}" for name in sorted(modules)] + ["genagents_env.run.models"]
    code = (
        f"import sys, {', '.join(names)}\n"
        "heavy = {'openai', 'httpx', 'httpx2', 'tiktoken', 'genai_prices'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
