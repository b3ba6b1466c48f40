"""What a bug leaves behind: a report that can be sent to anyone."""

import os
import platform
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path


def write_crash_report(error: BaseException) -> Path:
    """Write the traceback of `error`, without local variables or keys, and return the path.

    In the current folder, else in the one for temporary files, else on stderr.
    """
    from genagents_env import __version__
    from genagents_env.llm.redact import redact_environment

    lines = [
        f"genagents-env {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {' '.join(sys.argv)}",
        "".join(traceback.format_exception(error)),
    ]
    text = redact_environment("\n".join(lines))
    name = f"genagents-crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        return folder / name
    sys.stderr.write(text)
    return Path(os.devnull)
