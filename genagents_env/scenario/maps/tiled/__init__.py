"""Maps drawn in Tiled (https://www.mapeditor.org), read as towns.

`docs/maps.md` says how a town is drawn. Reading needs the extra `tiled`.
"""

from genagents_env.scenario.maps.tiled.importing import attach_map, convert_map

__all__ = ["attach_map", "convert_map"]
