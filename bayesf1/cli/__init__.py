"""The command line: `main` runs a command, `options` says what each may take, `commands` what they do."""
