"""From what people have to an Evaluation: everything called ``from_*`` or ``read``."""
