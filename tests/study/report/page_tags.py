"""Pages of reports, read as a browser would, for the tests."""

from html.parser import HTMLParser
from pathlib import Path


class PageTags(HTMLParser):
    """Collects the tags of a page with their attributes, and its text.

    `words` is each piece of text with the tag that opened last before it, `rows` the cells of each
    row of a table.
    """

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[tuple[str, str]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.tags and data.strip():
            self.words.append((self.tags[-1][0], data))
            if self.rows and self.tags[-1][0] == "td":
                self.rows[-1].append(data)

    def all(self, tag: str, attribute: str) -> list[str]:
        return [str(own[attribute]) for name, own in self.tags if name == tag and attribute in own]

    def check_inert(self) -> None:
        """Assert that nothing on the page runs, loads anything or leads elsewhere by itself."""
        active = ("script", "iframe", "object", "link", "b")
        assert not [tag for tag, _ in self.tags if tag in active]
        assert all(not name.startswith("on") for _, own in self.tags for name in own)
        assert all(tag == "img" for tag, own in self.tags if "src" in own)
