"""Any number of towns of any layouts, stepped and seen as arrays. `VectorTown` is the way in."""
