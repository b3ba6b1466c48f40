"""XML from anywhere: a bounded tree without declarations of entities or outside files."""

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from genagents_env.scenario.tiled.refusal import TiledRefusal

DEPTH_LIMIT = 32
ELEMENT_LIMIT = 1_000_000


def parse_xml(data: bytes) -> Element:
    """Return the root of `data`.

    A document type is refused before anything it declares is read, so nothing is expanded and no
    other file is opened.

    Raises:
        TiledRefusal: it is no XML, declares a document type, or is nested too deeply.
    """
    builder, size = TreeBuilder(), _TreeSize()
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        size.enter()
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        size.depth -= 1
        builder.end(tag)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_declarations
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise TiledRefusal(f"not XML: {error}", "file") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not have
        raise TiledRefusal(f"not XML: {error}; UTF-8 is allowed", "file") from None
    return builder.close()


class _TreeSize:
    def __init__(self) -> None:
        self.depth = self.elements = 0

    def enter(self) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth > DEPTH_LIMIT:
            raise TiledRefusal(f"nested too deeply; at most {DEPTH_LIMIT} levels", "file")
        if self.elements > ELEMENT_LIMIT:
            raise TiledRefusal(f"too much; at most {ELEMENT_LIMIT} elements", "file")


def _refuse_declarations(*_: object) -> None:
    text = "it declares a document type (<!DOCTYPE ...>), which could name entities and other files"
    raise TiledRefusal(f"{text}; none is allowed: save the map anew in Tiled", "file")
