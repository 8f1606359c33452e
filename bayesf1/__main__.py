"""``python -m bayesf1`` is the command line."""

import sys

from bayesf1.commands.main import main

sys.exit(main())
