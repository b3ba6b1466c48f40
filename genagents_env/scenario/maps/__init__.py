"""Maps of towns: read from every form, fitted to the scenario, laid out where there is none.

map.txt (`ascii`), map.grid (`grid`), Tiled (`tiled`), Smallville's matrices (`ville`)
──> DrawnMap (`drawn`) ──> fitted to the scenario (`fitting`) ──> what can be reached
"""
