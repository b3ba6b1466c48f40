"""No text from outside freezes the process: the time taken grows with the length, not faster.

Each is tried in a process of its own, since nothing interrupts a pattern or a normalisation.
"""

import subprocess
import sys

import pytest

_ENOUGH = 20.0  # seconds; what froze took minutes, what does not takes a tenth of a second

TEXTS = {
    "a quarter of a million marks on one letter": """
from genagents_env.text import clean
assert len(clean("a" + "\\u0301\\u0316" * 125_000, 250_000)) < 40
""",
    "marks that are made of marks": """
from genagents_env.text import clean
assert len(clean("a" + "\\u0f73" * 125_000, 250_000)) < 40
""",
    "marks between signs that no terminal shows": """
from genagents_env.text import clean
assert len(clean("a" + "\\u0301\\u200b\\u0316" * 80_000, 250_000)) < 40
""",
    "a name of marks": """
from genagents_env.text import fold
assert len(fold("a" + "\\u0301\\u0316\\uff9e" * 80_000)) < 70
""",
    "a reply of marks": """
import json
from pydantic import BaseModel
from genagents_env.llm.calls import Completion
from genagents_env.llm.completions import parse
class Speech(BaseModel):
    say: str
words = json.dumps({"say": "a" + "\\u0301\\u0316" * 110_000}, ensure_ascii=False)
assert len(parse(Completion(words, "stop", 1, 1), Speech).value.say) < 40
""",
    "an action of blanks": """
from genagents_env.actions import parse_action
assert parse_action("(" + " " * 100_000) is None
""",
    "words for nobody": """
from genagents_env.actions import parse_action
assert parse_action("(TALK) to" + " " * 100_000 + "x").to is None
""",
    "an object set to nothing": """
from genagents_env.actions import parse_action
assert parse_action("(USE) x" + " " * 100_000 + "y") is None
""",
    "an address of colons": """
from genagents_env.llm.redact import Redactor
assert Redactor().redact("//" + ":" * 100_000)
""",
    "news that a scripted model reads": """
import json
from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import read_prompt
line = json.dumps(["#1", "x " * 50_000])
asked = Message("user", f"<<<DATA x\\n{line}\\nx END>>>")
(read,) = read_prompt(CompletionRequest((asked,))).lines
assert not news.is_testimony(read.text)
""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_does_not_freeze_the_process(name: str) -> None:
    subprocess.run([sys.executable, "-c", TEXTS[name]], check=True, timeout=_ENOUGH)
