"""The command line: `main` runs a command, `options` has the options of each, `commands` has their functions."""
