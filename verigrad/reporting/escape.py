"""Text nobody trusts, made safe and visible for a page: what a model wrote, a data set holds, a recipe says.

Markup is escaped; control characters, direction overrides, zero-width characters and lone surrogates become visible
code points, so that nothing on the page can hide or turn round; very long text is cut with a note. Left out: layout.
"""

from __future__ import annotations

import html
import unicodedata

LIMIT = 4_000
"""Characters of one answer shown before it is cut."""
_PLAIN = "\n\t"


def text(value: object, *, limit: int = LIMIT) -> str:
    r"""`str(value)` as HTML text, at most `limit` characters of it.

    >>> text("<b>\u202e")
    '&lt;b&gt;<span class="code-point">U+202E</span>'
    """
    whole = str(value)
    shown = "".join(_visible(c) for c in whole[:limit])
    if len(whole) > limit:
        shown += f'<span class="cut"> … cut: {limit:,} of {len(whole):,} characters shown</span>'
    return shown


def attribute(value: object, *, limit: int = 300) -> str:
    """`str(value)` for a quoted HTML or SVG attribute or a <title>: escaped, code points written out, cut."""
    whole = str(value)
    shown = "".join(f"[U+{ord(c):04X}]" if _hidden(c) else html.escape(c, quote=True) for c in whole[:limit])
    return shown + ("…" if len(whole) > limit else "")


def _visible(c: str) -> str:
    if _hidden(c):
        return f'<span class="code-point">U+{ord(c):04X}</span>'
    return html.escape(c, quote=True)


def _hidden(c: str) -> bool:
    """Controls, formats (bidi, zero width, tags), surrogates, private and unassigned, line and paragraph separators."""
    return c not in _PLAIN and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
