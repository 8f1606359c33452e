"""Is model B better than model A, how sure are we, and by how much?

An `Evaluation` says what several models did on the same gold data; everything that builds one is called
``from_*``, everything that is asked of one is a verb.
"""

from bayesf1.base.public import attach

__version__ = "0.3.0"

# The public names are listed only in __init__.pyi: type checkers read it, and so does this line.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
