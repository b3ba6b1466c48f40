"""Any number of towns of any layouts, stepped and seen as arrays. `VectorTown` is the way in.

Five things are written twice, here for many towns and in `world` and `observe` for one, and held
equal by `tests/train/core`: walking along fields with room made on arrival (`step`), the use of
things (`step`), who sees whom (`towns`), numbers and masks (`look`), and pay with its shaping
(`pay`, `shaping`). Talk, doors, opening hours, starts and all that is rare are the town's own.
"""
