"""How far two colours stand apart, by WCAG 2: relative luminance and contrast ratio."""

_WEIGHTS = (0.2126, 0.7152, 0.0722)


def luminance(colour: str) -> float:
    """Returns the luminance of `#rrggbb`: 0 for black, 1 for white."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return sum(weight * _linear(channel) for weight, channel in zip(_WEIGHTS, channels, strict=True))


def contrast(one: str, other: str) -> float:
    """Returns the contrast, from 1, no difference, to 21, black and white; the order does not matter."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
