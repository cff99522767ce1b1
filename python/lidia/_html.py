"""HTML for notebooks. Names, paths and labels come from untrusted binaries and
profiles, so all of them are escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

#: The maximum number of rows in a table, and of characters in a cell.
MOST_ROWS = 1000
MOST_TEXT = 500
#: The maximum size of a page in a notebook, which stores it in its file.
MOST_PAGE = 32 << 20


def text(value: object, most: int = MOST_TEXT) -> str:
    """The value as HTML text. Long text is shortened in the middle. Characters that are
    not printable, and those that change the direction of text, are written as Python
    escapes."""
    if value is None:
        return ""
    plain = str(value)
    if len(plain) > most:
        plain = plain[: most // 2] + "…" + plain[-(most // 2):]
    # ascii() writes each character as a number, including lone surrogates.
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in plain)
    return html.escape(shown)


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], caption: object = None
) -> str:
    """A table of texts. The texts are marked as code, so that notebooks do not typeset
    them as formulas."""
    parts = ["<table>"]
    if caption is not None:
        parts.append(f"<caption>{text(caption)}</caption>")
    cells = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    parts.append(f"<thead><tr>{cells}</tr></thead><tbody>")
    left_out = 0
    for number, row in enumerate(rows):
        if number >= MOST_ROWS:
            left_out += 1
            continue
        cells = "".join(f'<td style="text-align: left"><code>{text(cell)}</code></td>'
                        for cell in row)
        parts.append(f"<tr>{cells}</tr>")
    if left_out:
        parts.append(f'<tr><td colspan="{len(head)}">and {left_out} more</td></tr>')
    parts.append("</tbody></table>")
    return "".join(parts)


def place(file: object, line: object, column: object) -> str:
    return ":".join(str(part) for part in (file, line, column) if part is not None)


def page(document: str, title: str) -> str:
    """A page with its own scripts. Its frame has no origin, so the scripts cannot
    access the notebook."""
    if len(document) > MOST_PAGE:
        return (f"<p>{text(title)}: the page has {len(document) >> 20} MiB, too much for a "
                "notebook: write it to a file.</p>")
    return (f'<iframe title="{text(title)}" sandbox="allow-scripts" allow="clipboard-write" '
            'style="width: 100%; height: 36em; border: 1px solid #8888" '
            f'srcdoc="{html.escape(document)}"></iframe>')


def block(lines: str) -> str:
    """The first rows of a text."""
    rows = lines.splitlines()
    shown = "\n".join(text(row.expandtabs()) for row in rows[:MOST_ROWS])
    more = f"\nand {len(rows) - MOST_ROWS} more lines" if len(rows) > MOST_ROWS else ""
    return f"<pre>{shown}{more}</pre>"
