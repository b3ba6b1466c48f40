"""Colours that tell people, and whatever else there are several of, apart."""

from colorsys import hls_to_rgb

from genagents_env.show.render.canvas import Color

# After Petroff 2021 (arXiv 2107.02270), whose colours the colour-blind can distinguish, too; in
# place of its two greys, which would look like nothing, a green and a pink.
COLOURS = (
    *("#3f90da", "#ffa90e", "#bd1f01", "#832db6", "#2f9e62"),
    *("#a96b59", "#92dadd", "#e78ac3", "#b9ac70", "#e76300"),
)


def find_person_color(i: int) -> Color:
    """Return the colour of the person in row `i`; neighbouring rows differ most."""
    red, green, blue = hls_to_rgb((0.02 + i * 0.381966) % 1.0, 0.4 - 0.06 * (i % 3), 0.62)
    return (round(red * 255), round(green * 255), round(blue * 255))


def format_color(color: Color) -> str:
    """Return a colour as pages write it, such as `#faf7f0`."""
    red, green, blue = color
    return f"#{red:02x}{green:02x}{blue:02x}"
