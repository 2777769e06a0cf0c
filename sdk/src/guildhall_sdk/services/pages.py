"""What pages show: files, pictures, themes, brandings, the page to sign up on, pages of the console."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Call
from guildhall_sdk.data import Reader
from guildhall_sdk.errors import InvalidRequest
from guildhall_sdk.replies import Reply

MAX_PICTURE_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that was checked. `digest` is the SHA-256 of its bytes."""

    content_type: str
    digest: str
    size: int
    content: bytes = field(repr=False)


class Pictures(Protocol):
    """Checks of PNG, JPEG, WebP, GIF and SVG, recognized by their content and not by their name."""

    async def check(
        self, holder: str, content_type: str, data: str, *, max_bytes: int = MAX_PICTURE_BYTES
    ) -> Picture:
        """Checks a picture in base64, on a thread in the turn of its holder, such as a company's id.

        Raises `TooLarge`, or `InvalidRequest` at `/data` or `/content_type`. An SVG that could run or load
        something is refused.
        """

    def reply(self, picture: Picture, *, filename: str = "picture") -> Reply:
        """Returns the picture as an answer: it can run nothing, and is cached for ever.

        So let its address name its content. `filename` goes without an extension.
        """


class ThemeInvalid(InvalidRequest, code="theme_invalid", title="The theme cannot be used"):
    """Raised for a theme that cannot be used."""


class Themes(Protocol):
    """Colours and shapes of a page, by token."""

    def check(self, theme: Mapping[str, Any]) -> None:
        """Raises `ThemeInvalid` for tokens that are unknown, malformed or hard to read."""

    def palette(self, theme: Mapping[str, Any]) -> Mapping[str, str | int]:
        """Returns every token with its value: the theme over the default."""


class VisibleBranding(NamedTuple):
    """A branding as visitors see it. `logo` is its address, `palette` every token with its value."""

    title: str
    tagline: str
    logo: str | None
    palette: Mapping[str, str | int]


class Brandings(Protocol):
    """How the instance and its companies look."""

    async def at(self, reader: Reader, hostname: str) -> VisibleBranding:
        """Returns the branding of the company that has this hostname, else the instance's."""


class Files(Protocol):
    """Serves files of this machine: parts by `Range`, conditional requests, any size in flat memory."""

    async def reply(
        self, call: Call, folder: Path, path: str, *, headers: Mapping[str, str] = {}, packed: bool = False
    ) -> Reply:
        """Returns the file at `path` below `folder`; raises `NotFound` for whatever is not plainly one.

        `path` may come from a caller. It is opened segment by segment: no `..`, no name that begins with a
        dot, no symbolic link, and nothing but regular files. The folder itself is trusted.
        With `packed` the twin `<path>.gz` that a build laid beside it goes to whoever takes gzip.
        """


class Onboarding(Protocol):
    """The beta funnel."""

    #: What the root serves, by `SERVICE_HOME`.
    home: Literal["console", "beta"]

    async def page(self, call: Call) -> Reply:
        """Returns the funnel's page, for the hostname and the language of the request. Not inside a scope."""


@dataclass(frozen=True, slots=True)
class Experience:
    """An experience for `declare_experiences`, judged as one that is saved through the API.

    `document` has `fields`, `copy` by language, `theme`, `judge_prompt` and perhaps a `template`. It is shown
    until a team publishes its own, and unless the operator names another in `SERVICE_BETA_EXPERIENCE`.
    """

    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A field of what a row answers, and how it is called; `owner.name` is a field within a field.

    How it is shown follows from the row's reply schema: figures, times, yes and no, lists of words.
    """

    field: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """A form that is drawn from the body schema of one of the plugin's own rows, and sent to it.

    A field is called by the `title` of its schema, else by its name, and helped by its `description`.
    `filled_from` is a GET row of the plugin whose answer fills the fields first. `submit` is what the button
    says, `done` what is said afterwards, and `answer` names fields of the reply to show below. Where the row
    takes its body as it comes (`Body.RAW`), a file is chosen and sent.
    """

    target: str
    submit: str
    method: str = "POST"
    title: str = ""
    done: str = ""
    filled_from: str | None = None
    answer: Sequence[Column] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """A table of what one of the plugin's own GET rows lists.

    `source` is the path of that row as the plugin declares it; its reply has `items`, and the columns are
    fields of one item. `empty` is said while there is none. `filters` are parameters of the row's query.
    With `chart` the first column is a moment and the one or two others are figures, drawn day by day.
    `opens` names a page of the plugin that is about one of the items: paths of its parts have one parameter,
    which is the item's field of that name, and a source there that lists nothing shows its one thing.
    `actions` are what can be done with an item, whose fields fill their paths in the same way: a form, a
    button where the row takes no body, and a download where it is `GET`.
    """

    source: str
    columns: Sequence[Column]
    title: str = ""
    empty: str = ""
    filters: Sequence[str] = ()
    chart: bool = False
    opens: str | None = None
    actions: Sequence[FormPart] = ()


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


class LiveLists(Protocol):
    """Lists that change on the screens of those who look: their module follows one with `useLive`."""

    def changed(self, path: str, *whose: str) -> None:
        """Says that what the row `GET path` lists has changed; inside a transaction by `Writer.after_commit`.

        `whose` are the ids of the teams, companies and people who see the difference; without any it is
        everybody. Of these, whoever may call the row hears of it. Many changes are told as one.
        """


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen of the console that a plugin brings as a module of its own, for `declare_screens`.

    It has its `path` and every address below it. `title` is a key of a catalog or words, `icon` one of
    lucide's names, such as `notebook-pen`. `group` is where it stands in the navigation: `work`, `ai`,
    `automate`, `localize`, `team`, `company` or `instance`; `account` is the menu of one's name, and an empty
    one is reached by its address alone. One whose path lies below that of another screen is a tab of it.
    `module` lies in the package of the plugin: an ES module whose default export has this screen by its
    `name`. `opens` are types of search hits: one opens at `<path>/<its id>`.
    """

    name: str
    path: str
    title: str
    icon: str
    group: str
    _: KW_ONLY
    order: int = 100
    permission: str | None = None
    feature: str | None = None
    module: str = "console/dist/index.js"
    opens: Sequence[str] = ()
