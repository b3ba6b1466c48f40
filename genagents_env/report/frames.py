"""The same data as frames for one's own analysis: pandas in memory, Parquet in files."""

from dataclasses import asdict
from io import BytesIO
from typing import TYPE_CHECKING

from genagents_env.report import sweep_tables
from genagents_env.report.results import SweepResults
from genagents_env.stats.extra import lab

if TYPE_CHECKING:
    from pandas import DataFrame

_OF_VALUES = ("values", "versions", "unmeasured")


def make_frames(known: SweepResults) -> "dict[str, DataFrame]":
    """Return `runs`, `values` (tidy: a line for each value of each run) and `contrasts`.

    Raises:
        ConfigError: pandas is missing.
    """
    pandas = lab("pandas")
    rows = [
        {key: value for key, value in run.as_json().items() if key not in _OF_VALUES}
        for run in known.runs
    ]
    values = sweep_tables.values(known)
    return {
        "runs": pandas.DataFrame(rows),
        "values": pandas.DataFrame(values.rows, columns=values.columns),
        "contrasts": pandas.DataFrame([asdict(one) for one in known.contrasts]),
    }


def encode_parquet(known: SweepResults) -> dict[str, bytes]:
    """Return the frames as Parquet files, by file name.

    Raises:
        ConfigError: pandas or pyarrow is missing.
    """
    found = make_frames(known)
    lab("pyarrow")
    files = {}
    for name, frame in found.items():
        buffer = BytesIO()
        frame.to_parquet(buffer, engine="pyarrow", index=False)
        files[f"{name}.parquet"] = buffer.getvalue()
    return files
