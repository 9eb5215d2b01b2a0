"""Numbers as people write them: no more digits than the uncertainty allows."""

import math

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plus_minus(value: float, half_width: float) -> str:
    """A value and half its 95 % interval, both to two significant digits of the latter.

    >>> plus_minus(0.75123, 0.00441)
    '0.7512 ± 0.0044'
    >>> plus_minus(12345.6, 123.0)
    '12350 ± 120'
    >>> plus_minus(1.2341e-7, 5.6e-9)
    '(1.234 ± 0.056) × 10⁻⁷'
    """
    if not (math.isfinite(half_width) and half_width > 0.0):
        return f"{number(value)} ± {number(half_width)}"
    shift = _common_exponent(max(abs(value), half_width))
    value, half_width = value / 10.0**shift, half_width / 10.0**shift
    decimals = decimals_of(half_width)
    text = f"{_rounded(value, decimals)} ± {_rounded(half_width, decimals)}"
    return text if shift == 0 else f"({text}) × 10{str(shift).translate(_SUPERSCRIPTS)}"


def like(value: float, half_width: float) -> str:
    """A value to the digits that `plus_minus` gives to one of this uncertainty.

    >>> like(0.75, 0.00441)
    '0.7500'
    """
    if not (math.isfinite(half_width) and half_width > 0.0) or _common_exponent(max(abs(value), half_width)):
        return number(value)
    return _rounded(value, decimals_of(half_width))


def number(value: float, digits: int = 5) -> str:
    """A number whose uncertainty nobody gave.

    >>> number(0.1 + 0.2), number(-0.0), number(math.nan)
    ('0.3', '0', '—')
    """
    return f"{value + 0.0:.{digits}g}" if math.isfinite(value) else "—"


def signed(value: float) -> str:
    """A change: three significant digits and always a sign.

    >>> signed(0.3), signed(-0.4501), signed(1234.5)
    ('+0.3', '-0.45', '+1230')
    """
    if not math.isfinite(value):
        return "—"
    rounded = float(f"{value:.2e}") + 0.0
    return f"{rounded:+.0f}" if 1000 <= abs(rounded) < 1e6 else f"{rounded:+.3g}"


def percent(share: float, digits: int = 1) -> str:
    """A share of one.

    >>> percent(0.9512)
    '95.1 %'
    """
    return f"{100.0 * share:.{digits}f} %" if math.isfinite(share) else "—"


def decimals_of(half_width: float) -> int:
    """Decimals that leave two significant digits; negative where they end before the point.

    >>> decimals_of(0.0044), decimals_of(0.0996), decimals_of(120.0)
    (4, 2, -1)
    """
    return 1 - int(f"{half_width:.1e}".partition("e")[2])


def _rounded(value: float, decimals: int) -> str:
    return f"{round(value, decimals) + 0.0:.{max(decimals, 0)}f}"


def _common_exponent(size: float) -> int:
    """Zero for sizes that read well as they are."""
    exponent = math.floor(math.log10(size))
    return 0 if -4 <= exponent < 6 else exponent
