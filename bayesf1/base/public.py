"""The public names of a package: imported when first used, and their arguments checked."""

from __future__ import annotations

import sys
from types import FunctionType

import lazy_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose public names are in its ``__init__.pyi``.

    Functions check their arguments if they are called by these names. Modules of the package import them from the
    modules that define them, unchecked.
    """
    load, names, public = lazy_loader.attach_stub(package, file)

    def load_checked(name: str) -> Any:
        value = load(name)
        if isinstance(value, FunctionType):
            from bayesf1.base.checks import checked

            value = checked(value)
            # Pickle looks for a function where it is public.
            value.__module__ = package
            setattr(sys.modules[package], name, value)
        return value

    return load_checked, names, public
