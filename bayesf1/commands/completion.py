"""``bayesf1 completion``: a script that teaches a shell the commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from bayesf1.base.naming import nearest
from bayesf1.commands.options import word
from bayesf1.commands.output import write

SHELLS = ("bash", "zsh", "fish")
ABOUT = "print a completion script for bash, zsh or fish"
EXAMPLE = """\
eval "$(bayesf1 completion bash)"
bayesf1 completion fish > ~/.config/fish/completions/bayesf1.fish"""
GROUPS = {"": {"shell": word("bash, zsh or fish", "SHELL")}}


def run(args: argparse.Namespace) -> None:
    """Print the script of a shell."""
    if args.shell not in SHELLS:
        raise ValueError(f"unknown shell {args.shell!r}; {nearest(args.shell, SHELLS)}")
    options = {
        name: sorted(option for option in parser._option_string_actions if option.startswith("--"))
        for name, parser in args.commands.items()
    }
    write(_fish(options) if args.shell == "fish" else _bash(options, zsh=args.shell == "zsh"))


def _bash(options: Mapping[str, list[str]], *, zsh: bool) -> str:
    cases = "\n".join(f'    {name}) words="{" ".join(known)}" ;;' for name, known in options.items())
    start = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{start}_bayesf1() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _bayesf1 bayesf1"""


def _fish(options: Mapping[str, list[str]]) -> str:
    lines = [f"complete -c bayesf1 -n __fish_use_subcommand -f -a '{' '.join(options)}'"]
    for name, known in options.items():
        lines += [
            f"complete -c bayesf1 -n '__fish_seen_subcommand_from {name}' -l {option[2:]}" for option in known
        ]
    return "\n".join(lines)
