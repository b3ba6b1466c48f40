"""A question to a town, and its answer.

`sweep` designs and runs a study, `evaluate` measures its runs, `judge` has their answers judged,
`stats` compares, `report` writes the page.
"""
