"""What a recorded run amounts to: its data, and the measures computed on them."""

from genagents_env.study.evaluate.measures.findings import Findings, compute_findings
from genagents_env.study.evaluate.run_data import RunData

__all__ = ["Findings", "RunData", "compute_findings"]
