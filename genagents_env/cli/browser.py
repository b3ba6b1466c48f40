"""Opening a browser."""

import os
import sys
import webbrowser


def open_browser(address: str) -> bool:
    """Open an address in the user's browser; return whether there is one.

    One that would take the terminal, as there are on machines without a screen, is not opened.
    """
    windows = sys.platform in ("win32", "darwin")
    shown = windows or any(os.environ.get(key) for key in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    try:
        return bool(shown) and webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
