"""`dataclass` of the standard library, which makes classes in a fifth of the time.

That one compiles three to six functions for each class, and a server has hundreds of them. What this
one makes is a dataclass to `fields`, `replace`, `asdict` and `match` as well; a class that asks for more than
`eq`, `frozen`, `slots` and `kw_only` is made by the standard library.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    from guildhall_sdk.dataclass_maker import can_make, make

    def dataclass(cls: type | None = None, /, **options: bool) -> object:
        """Makes a class a dataclass; takes what `dataclasses.dataclass` takes."""
        if cls is None:
            return lambda given: dataclass(given, **options)
        return make(cls, **options) if can_make(cls, options) else dataclasses.dataclass(cls, **options)
