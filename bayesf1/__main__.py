"""``python -m bayesf1`` is the command line."""

import os
import sys


def run() -> int:
    """Run the command line; an interruption while modules load ends it as any other does."""
    try:
        from bayesf1.cli.main import TERMINATED, main

        try:
            return main()
        except SystemExit as end:
            if end.code == TERMINATED:
                # All is cleaned up, and threads of libraries may crash an interpreter that shuts down under a signal.
                os._exit(TERMINATED)
            raise
    except KeyboardInterrupt:
        print("bayesf1: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
