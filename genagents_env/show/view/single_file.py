"""The page of a run as one file: by itself, to be opened by double click and sent around.

It asks for nothing: its policy lets its own script and style in by their digests, and no request
out. Each resource is a block of data, gzip in base64, in which no markup can occur.
"""

import gzip
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from genagents_env.files import replace_file
from genagents_env.record import RunReader
from genagents_env.show.view.head import RunView
from genagents_env.show.view.resources import list_keys, make_resource
from genagents_env.study.judge.kept_answers import find_kept_file


@cache
def read_page_file(name: str) -> str:
    """Return a file of the page, such as `index.html`."""
    return (files("genagents_env.show.view") / "page" / name).read_text("utf-8")


Watch = Callable[[int, int], None]  # takes how many resources are written, and of how many

_STYLE, _SCRIPT = '<link rel="stylesheet" href="view.css">', '<script src="view.js"></script>'
_CHARSET = '<meta charset="utf-8">'
_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def write_single_file(run: RunReader, path: Path, watch: Watch | None = None) -> Path:
    """Write the page of `run`, with all that it is given, to `path`, and return that.

    A file that is there is replaced, once its successor is whole.

    Args:
        run: the run, as far as it is written.
        path: of the HTML file.
        watch: is told how far it is.

    Raises:
        FileError: it cannot be written.
        RecordError: the run file is damaged.
    """
    document, script, style = map(read_page_file, ("index.html", "view.js", "view.css"))
    policy = _POLICY.format(script=_digest(script), style=_digest(style))
    for mark, text in (
        (_CHARSET, f'{_CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        (_STYLE, f"<style>{style}</style>"),
    ):
        document = document.replace(mark, text)
    before, _, after = document.partition(_SCRIPT)
    view, keys = RunView(run, kept=find_kept_file(run.path)), list(list_keys(run))
    with replace_file(path) as file:
        file.write(before.encode())
        for written, key in enumerate(keys):
            file.write(_format_block(str(key), make_resource(view, key)))
            if watch is not None:
                watch(written + 1, len(keys))
        file.write(f"<script>{script}</script>{after}".encode())
    return path


def _format_block(name: str, body: bytes) -> bytes:
    packed = b64encode(gzip.compress(body, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="data-{name}">{packed}</script>\n'.encode()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
