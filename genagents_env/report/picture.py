"""A figure as a file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureFile:
    """A figure as a file.

    Attributes:
        table: the name of the table beside which it stands.
        name: of the file, without ending.
        caption: below it.
        png: the bytes.
    """

    table: str
    name: str
    caption: str
    png: bytes
