"""Pages of the console that a plugin describes as data: tables and forms over its own rows, no JavaScript."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from guildhall_sdk.hooks import declares


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A field of what a row answers, and how it is called; `owner.name` is a field within a field.

    How it is shown follows from the row's reply schema: figures, times, yes and no, lists of words.
    """

    field: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """A table of what one of the plugin's own GET rows lists.

    `source` is the path of that row as the plugin declares it; its reply has `items`, and the columns are
    fields of one item. `empty` is said while there is none.
    """

    source: str
    columns: Sequence[Column]
    title: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """A form that is drawn from the body schema of one of the plugin's own rows, and sent to it.

    A field is called by the `title` of its schema, else by its name, and helped by its `description`.
    `filled_from` is a GET row of the plugin whose answer fills the fields first. `submit` is what the button
    says, `done` what is said afterwards, and `answer` names fields of the reply to show below.
    """

    target: str
    submit: str
    method: str = "POST"
    title: str = ""
    done: str = ""
    filled_from: str | None = None
    answer: Sequence[Column] = ()


Part = TablePart | FormPart


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolePage:
    """A page at `/x/<plugin id>/<name>` of the console, for `declare_console_pages`.

    Who may not call the row of a part is not shown that part, and who may call none, not the page. A text
    that is a key of the plugin's own catalog (see `MessageCatalogs`) is shown in the reader's language; any
    other is shown as it is.
    """

    name: str
    title: str
    parts: Sequence[Part]
    text: str = ""
    in_navigation: bool = True
    feature: str | None = None


class ConsoleHooks(Protocol):
    """The hook of the plugin `console`."""

    @declares(ConsolePage, label="page")
    def declare_console_pages(self) -> Sequence[ConsolePage]:
        """Declares pages of tables and forms in the console, over rows of this plugin."""
