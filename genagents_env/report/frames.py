"""The same data as frames for further analysis: pandas in memory, Parquet in files."""

from dataclasses import asdict
from io import BytesIO
from typing import TYPE_CHECKING

from genagents_env.report.results import SweepResults
from genagents_env.report.sweep_tables import tabulate_values
from genagents_env.stats.extra import import_extra

if TYPE_CHECKING:
    from pandas import DataFrame

_OF_VALUES = ("values", "versions", "unmeasured")


def make_frames(results: SweepResults) -> "dict[str, DataFrame]":
    """Return `runs`, `values` (tidy: a line for each value of each run) and `contrasts`.

    Raises:
        ConfigError: pandas is missing.
    """
    pandas = import_extra("pandas")
    rows = [
        {key: value for key, value in run.as_json().items() if key not in _OF_VALUES}
        for run in results.runs
    ]
    values = tabulate_values(results)
    return {
        "runs": pandas.DataFrame(rows),
        "values": pandas.DataFrame(values.rows, columns=values.columns),
        "contrasts": pandas.DataFrame([asdict(one) for one in results.contrasts]),
    }


def encode_parquet(results: SweepResults) -> dict[str, bytes]:
    """Return the frames as Parquet files, by file name.

    Raises:
        ConfigError: pandas or pyarrow is missing.
    """
    found = make_frames(results)
    import_extra("pyarrow")
    files = {}
    for name, frame in found.items():
        buffer = BytesIO()
        frame.to_parquet(buffer, engine="pyarrow", index=False)
        files[f"{name}.parquet"] = buffer.getvalue()
    return files
