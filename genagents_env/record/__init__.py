"""The record: one SQLite file per run, written as it runs, readable meanwhile, resumable."""

from genagents_env.record.canonical import canonical_hash
from genagents_env.record.cassette import SqliteCassette, SqliteEmbeddings
from genagents_env.record.checkpoint import Checkpoint
from genagents_env.record.degradation import Degradation, PolicyFailure
from genagents_env.record.export import export
from genagents_env.record.faculty_use import FacultyUse
from genagents_env.record.meta import PolicyOrigin, RunMeta
from genagents_env.record.notes import PromptCuts
from genagents_env.record.reader import RunReader
from genagents_env.record.rows import (
    CallRow,
    FaultRow,
    InterviewRow,
    JudgementRow,
    NoteRow,
    RememberedRow,
    ResponseRow,
)
from genagents_env.record.verify import Verification, verify
from genagents_env.record.writer import RunWriter

__all__ = [
    "CallRow",
    "Checkpoint",
    "Degradation",
    "FacultyUse",
    "FaultRow",
    "InterviewRow",
    "JudgementRow",
    "NoteRow",
    "PolicyFailure",
    "PolicyOrigin",
    "PromptCuts",
    "RememberedRow",
    "ResponseRow",
    "RunMeta",
    "RunReader",
    "RunWriter",
    "SqliteCassette",
    "SqliteEmbeddings",
    "Verification",
    "canonical_hash",
    "export",
    "verify",
]
