"""``python -m bayesf1`` is the command line."""

import sys

from bayesf1.cli import main

sys.exit(main())
