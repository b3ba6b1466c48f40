"""The names of the shipped stories, so that tests can take some of them at a time."""

from pathlib import Path

FOLDER = Path(__file__).parents[3] / "scenarios" / "stories"
STORIES = sorted(path.parent.name for path in FOLDER.glob("*/scenario.toml"))
