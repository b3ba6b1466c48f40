"""Pages of runs in the system's Chromium, for tests.

Ask for the fixture `open_page` and call it with a run file, which is then served on loopback, or
with an address; it returns a `WatchedPage`, whose `check` fails for any error of the page or
breach of its own Content-Security-Policy. One browser serves a module: while Playwright is under
way in a thread, `asyncio.run` cannot be used there.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, sync_playwright

from tests.show.view.requests import serve

WIDE, PHONE = (1280, 800), (390, 844)
_PATIENCE = 20_000  # milliseconds, on a machine that is busy


@dataclass
class WatchedPage:
    """A page, its errors and breaches of its policy, dialogs, and requests of other addresses."""

    page: Page
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def check(self) -> None:
        assert (self.errors, self.dialogs, self.requests) == ([], [], [])


class PageOpener:
    def __init__(self, browser: Browser, stack: ExitStack) -> None:
        self._browser, self._stack = browser, stack
        self._served: dict[Path, str] = {}

    def __call__(
        self,
        what: Path | str,
        moment: str = "",
        size: tuple[int, int] = WIDE,
        *,
        ready: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> WatchedPage:
        """Open a run file, served once a module, an exported page, or an address.

        `moment` stands behind it, such as `#t=216&p=Klaus Mueller`; `ready` waits until all that
        is recorded is loaded; `headers` are of the requests, beside the browser's own.
        """
        address = what if isinstance(what, str) else self.find_address(what)
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            reduced_motion="reduce",
            extra_http_headers=dict(headers or {}),
        )
        self._stack.callback(context.close)
        watched = watch(context.new_page(), address)
        watched.page.set_default_timeout(_PATIENCE)
        watched.page.goto(address + moment)
        if ready:
            watched.page.wait_for_function("() => window.town?.ready === true")
        return watched

    def find_address(self, path: Path) -> str:
        """Return where a run file is served, or an exported page lies."""
        if path.suffix == ".html":
            return path.resolve().as_uri()
        if path not in self._served:
            self._served[path] = self._stack.enter_context(serve(path)).server.address
        return self._served[path]


OpenPage: TypeAlias = PageOpener


def watch(page: Page, address: str) -> WatchedPage:
    watched = WatchedPage(page)
    own = urlsplit(address)[:2]

    def dismiss(dialog: Dialog) -> None:
        watched.dialogs.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            watched.errors.append(message.text)

    def look(request: Request) -> None:
        if urlsplit(request.url)[:2] != own and not request.url.startswith(("data:", "blob:")):
            watched.requests.append(request.url)

    page.on("dialog", dismiss)
    page.on("console", listen)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on("request", look)
    return watched


@contextmanager
def launch_browser() -> Iterator[Browser]:
    """Give the system's Chromium; the test is skipped where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("there is no chromium on the path, which these tests look at pages with")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        with closing(browser):
            yield browser


@contextmanager
def open_pages(browser: Browser) -> Iterator[PageOpener]:
    with ExitStack() as stack:
        yield PageOpener(browser, stack)
