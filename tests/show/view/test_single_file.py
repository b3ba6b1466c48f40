"""The exported page is one file with all that the served one is given, and asks for nothing."""

import gzip
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.show.view.head import RunView
from genagents_env.show.view.resources import list_keys, make_resource
from genagents_env.show.view.single_file import read_page_file, write_single_file

SCRIPT, STYLE = map(read_page_file, ("view.js", "view.css"))
_EXECUTED = {None, "", "text/javascript", "module"}


class Elements(HTMLParser):
    """The elements of a document, with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.within = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.within = True

    def handle_endtag(self, tag: str) -> None:
        self.within = False

    def handle_data(self, data: str) -> None:
        if self.within:
            tag, attributes, text = self.found.pop()
            self.found.append((tag, attributes, text + data))

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


@pytest.fixture(scope="module")
def written(short_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("single") / "page.html"
    with RunReader(short_run) as run:
        return write_single_file(run, path)


@pytest.fixture(scope="module")
def elements(written: Path) -> Elements:
    return Elements(written.read_text("utf-8"))


def test_every_resource_is_in_it(short_run: Path, elements: Elements) -> None:
    blocks = {
        str(attributes["id"]): text
        for attributes, text in elements.of("script")
        if attributes.get("type") == "application/octet-stream"
    }
    with RunReader(short_run) as run:
        keys = list(list_keys(run))
        assert set(blocks) == {f"data-{key}" for key in keys}
        for key in keys:
            held = gzip.decompress(b64decode(blocks[f"data-{key}"], validate=True))
            assert held == make_resource(RunView(run), key)


def test_only_the_page_s_own_script_and_style_are_let_in(elements: Elements) -> None:
    scripts = [t for a, t in elements.of("script") if a.get("type") in _EXECUTED]
    ((policy, _),) = [m for m in elements.of("meta") if m[0].get("http-equiv")]
    assert scripts == [SCRIPT]
    assert [text for _, text in elements.of("style")] == [STYLE]
    assert policy["content"] == (
        f"default-src 'none'; script-src '{digest(SCRIPT)}'; "
        f"style-src '{digest(STYLE)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def test_the_policy_stands_before_all_that_it_rules(written: Path) -> None:
    text = written.read_text("utf-8")
    at = text.index("Content-Security-Policy")
    assert all(at < text.index(tag) for tag in ("<script", "<style", "<link", "<body", "<title"))


def test_it_names_no_other_file(elements: Elements) -> None:
    for _, attributes, _ in elements.found:
        assert "src" not in attributes
        assert (attributes.get("href") or "data:").startswith("data:")


def test_script_and_style_can_stand_in_a_document() -> None:
    assert not re.search(r"</script|<!--|<script", SCRIPT, re.I)
    assert "</style" not in STYLE.lower()


def test_the_same_run_makes_the_same_file(short_run: Path, written: Path, tmp_path: Path) -> None:
    with RunReader(short_run) as run:
        again = write_single_file(run, tmp_path / "again.html")
    assert again.read_bytes() == written.read_bytes()
