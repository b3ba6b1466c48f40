"""A run told as scenes."""

from genagents_env.show.story.scene import Scene, SceneLine
from genagents_env.show.story.scenes import find_scenes, index_scenes

__all__ = ["Scene", "SceneLine", "find_scenes", "index_scenes"]
