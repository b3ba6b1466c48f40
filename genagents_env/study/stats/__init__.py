"""Statistics of a laboratory: effects of factors, intervals, times to an event.

Knows numbers and names alone: nothing of runs, worlds or models. Everything is a pure function of
its arguments. `docs/statistics.md` says why these tests.
"""
