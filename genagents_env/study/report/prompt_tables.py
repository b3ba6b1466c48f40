"""The tables of prompts by purpose: their size, their sections, what found no room."""

from collections.abc import Sequence

from genagents_env.study.evaluate.prompt_shares import PromptShares
from genagents_env.study.report.table import CellValue, Table

_LEAST = 0.01  # of a prompt's tokens: smaller sections are told together


def make_prompt_tables(found: Sequence[PromptShares]) -> tuple[Table, ...]:
    """Return the tables that have a row: of sizes, of sections, of what found no room."""
    sizes = (
        *("purpose", "prompts", "mean tokens", "most tokens", "mean bound", "most bound"),
        *("memories in one", "cut"),
    )
    tables = (
        Table("prompts", "Prompts by purpose", sizes, tuple(map(_list_sizes, found))),
        Table(
            "sections",
            "What they are made of",
            ("purpose", "sections, of the tokens by the bound"),
            tuple((one.purpose, _format_shares(one)) for one in found),
        ),
        Table(
            "cuts",
            "What found no room",
            ("purpose", "section", "prompts", "share", "lines left out"),
            tuple(
                (one.purpose, cut.section, cut.prompts, cut.prompts / one.prompts, cut.lines)
                for one in found
                for cut in one.cuts.sections
            ),
        ),
    )
    return tuple(table for table in tables if table.rows)


def _list_sizes(one: PromptShares) -> tuple[CellValue, ...]:
    return (
        *(one.purpose, one.prompts, one.mean_tokens, one.most_tokens or None),
        *(one.mean_bound, one.most_bound, one.memories, one.cuts.cut),
    )


def _format_shares(one: PromptShares) -> str:
    told = [f"{name} {share:.0%}" for name, share in one.shares if share >= _LEAST]
    rest = sum(share for _, share in one.shares if share < _LEAST)
    return ", ".join([*told, *([f"others {rest:.1%}"] if rest else [])])
