"""The tables of prompts by purpose: their size, their sections, what found no room."""

from collections.abc import Sequence

from genagents_env.study.evaluate.prompt_shares import PromptShares
from genagents_env.study.report.table import Table

_LEAST = 0.01  # of a prompt's tokens: smaller sections are told together


def make_prompt_tables(found: Sequence[PromptShares]) -> tuple[Table, ...]:
    """Return the tables that have a row."""
    tables = (tabulate_prompts(found), tabulate_sections(found), tabulate_cuts(found))
    return tuple(table for table in tables if table.rows)


def tabulate_prompts(found: Sequence[PromptShares]) -> Table:
    """Return size and memories of the prompts of each purpose."""
    rows = tuple(
        (
            *(one.purpose, one.prompts, one.mean_tokens, one.most_tokens or None),
            *(one.mean_bound, one.most_bound, one.memories, one.cuts.cut),
        )
        for one in found
    )
    columns = (
        *("purpose", "prompts", "mean tokens", "most tokens", "mean bound", "most bound"),
        *("memories in one", "cut"),
    )
    return Table("prompts", "Prompts by purpose", columns, rows)


def tabulate_sections(found: Sequence[PromptShares]) -> Table:
    """Return the share of each section in the prompts of each purpose, the largest first."""
    rows = tuple((one.purpose, _format_shares(one)) for one in found)
    columns = ("purpose", "sections, of the tokens by the bound")
    return Table("sections", "What they are made of", columns, rows)


def _format_shares(one: PromptShares) -> str:
    told = [f"{name} {share:.0%}" for name, share in one.shares if share >= _LEAST]
    rest = sum(share for _, share in one.shares if share < _LEAST)
    return ", ".join([*told, *([f"others {rest:.1%}"] if rest else [])])


def tabulate_cuts(found: Sequence[PromptShares]) -> Table:
    """Return what found no room in the prompts of each purpose."""
    rows = tuple(
        (one.purpose, cut.section, cut.prompts, cut.prompts / one.prompts, cut.lines)
        for one in found
        for cut in one.cuts.sections
    )
    columns = ("purpose", "section", "prompts", "share", "lines left out")
    return Table("cuts", "What found no room", columns, rows)
