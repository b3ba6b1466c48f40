"""The record: one run is one SQLite file. Written while it runs, readable meanwhile, resumable."""

from .canonical import canonical_hash
from .cassette import SqliteCassette
from .checkpoint import Checkpoint
from .embeddings import SqliteEmbeddings
from .export import export
from .meta import RunMeta
from .reader import RunReader
from .rows import CallRow, InterviewRow, JudgementRow, PolicyFault, RememberedRow
from .writer import RunWriter

__all__ = [
    "CallRow",
    "Checkpoint",
    "InterviewRow",
    "JudgementRow",
    "PolicyFault",
    "RememberedRow",
    "RunMeta",
    "RunReader",
    "RunWriter",
    "SqliteCassette",
    "SqliteEmbeddings",
    "canonical_hash",
    "export",
]
