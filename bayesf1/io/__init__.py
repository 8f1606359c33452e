"""From files, frames and arrays to an Evaluation: everything called ``from_*`` or ``read``."""
