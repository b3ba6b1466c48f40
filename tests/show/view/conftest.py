from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genagents_env.cli.app import app
from genagents_env.run import PolicySpec, run
from tests.run.towns import make_options, make_spec, run_town
from tests.show.view.browser import OpenPage, launch_browser, open_pages

RUNS = Path(__file__).parents[3] / "examples" / "runs"
VALENTINES = RUNS / "smallville_13_february.sqlite.xz"


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of forty ticks of a mind that asks a model."""
    path = tmp_path_factory.mktemp("view") / "short.sqlite"
    run_town(path)
    return path


@pytest.fixture(scope="session")
def valentines_run() -> Path:
    """A shipped run of three people whose replies a capable reader wrote."""
    return VALENTINES


EDITS = (  # what the author of a policy changes in the template, so that a model finds the words
    (
        "from collections.abc import Mapping\n",
        "from collections.abc import Mapping\n\n"
        "from pydantic import BaseModel\n\nfrom genagents_env.llm.calls import CallKey, Message\n",
    ),
    ("class MyPolicy", "class Words(BaseModel):\n    say: str\n\n\nclass MyPolicy"),
    ('    name = "my_words"\n', '    name = "my_words"\n    needs_model = True\n'),
    ("        self.profiles =", "        self.model = context.model\n        self.profiles ="),
    ("    def act(", "    async def act_async("),
    ("agent: self._act(", "agent: await self._act("),
    ("    def _act(", "    async def _act("),
    ("Talk(partner, self.news[agent],", "Talk(partner, await self._ask(agent, partner, percept),"),
    (
        "    def _find_partner(",
        """    async def _ask(self, agent: str, partner: str, percept: Percept) -> str:
        asked = f"{percept.text}\\nWhat do you say to {partner}?"
        key, words = CallKey(agent, percept.tick, "words", 0), Words(say=self.news[agent])
        answered = await self.model.ask(key, [Message("user", asked)], Words, fallback=words)
        return answered.value.say or self.news[agent]

    def _find_partner(""",
    ),
)


@pytest.fixture(scope="session")
def template_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a policy written from the template of `genagents new-policy`, which asks a model."""
    folder = tmp_path_factory.mktemp("template")
    policy, path = folder / "my_words.py", folder / "run.sqlite"
    assert CliRunner().invoke(app, ["new-policy", str(policy)]).exit_code == 0
    text = policy.read_text("utf-8").replace("MyWords", "MyPolicy")
    for before, after in EDITS:
        assert text.count(before) >= 1, before
        text = text.replace(before, after, 1)
    policy.write_text(text, "utf-8")
    spec = make_spec("surprise_party", 240, policy=PolicySpec(f"{policy}:MyPolicy"))
    assert run(spec, path, make_options()).status == "finished"
    return path


@pytest.fixture(scope="module")
def open_page() -> Iterator[OpenPage]:
    """Opens pages in a headless Chromium; see `tests.show.view.browser.PageOpener`."""
    with launch_browser() as browser, open_pages(browser) as opener:
        yield opener
