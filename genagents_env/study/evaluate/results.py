"""Results of a run as JSON values."""

from dataclasses import fields
from typing import TYPE_CHECKING

from pydantic_core import to_jsonable_python

from genagents_env.record.rows import JSON

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def as_json(result: "DataclassInstance", *apart: str) -> dict[str, JSON]:
    """Return the fields and then the properties of a result as JSON values, without those `apart`.

    Within its values dataclasses are their fields alone, and decimals are text.
    """
    properties = [name for name, of in vars(type(result)).items() if isinstance(of, property)]
    names = [*(field.name for field in fields(result)), *properties]
    return {name: to_jsonable_python(getattr(result, name)) for name in names if name not in apart}
