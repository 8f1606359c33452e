"""Is model B better than model A, how sure are we, and by how much?

An `Evaluation` says what several models did on the same gold data; everything that builds one is called
``from_*``, everything that is asked of one is a verb.
"""

import sys
from types import ModuleType

from bayesf1.base.public import attach

__version__ = "0.3.0"

# The public names stand in __init__.pyi alone: type checkers read it, and so does this line.
__getattr__, __dir__, __all__ = attach(__name__, __file__)


class _Package(ModuleType):
    """A package whose ``hierarchical`` is the function, and not the folder of that name."""

    def __setattr__(self, name: str, value: object) -> None:
        # Importing a module of the folder would set it.
        if not (name == "hierarchical" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
