"""Shell completion, made from the parsers: a static script, so that completing a word starts no Python.

Our own, because shtab, which makes such scripts too, knows no fish and would be a dependency.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

Words = Sequence[tuple[str, str]]
"""Words that can stand somewhere, each with what it means."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its flags, whether a value follows, which values there are if they are known, what it is for."""

    flags: tuple[str, ...]
    takes_value: bool
    values: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Level:
    """What may follow a command: its options, and the commands or values that stand in the place of the next word."""

    command: str
    options: tuple[Option, ...]
    words: Words

    @property
    def flags(self) -> Words:
        """Every flag and what it is for."""
        return [(flag, option.help) for option in self.options for flag in option.flags]


def levels(parser: argparse.ArgumentParser, command: str = "") -> Iterator[Level]:
    """Yield the level of a parser, then those of the commands below it."""
    options: list[Option] = []
    words: list[tuple[str, str]] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to ask
        about = (action.help or "").replace("%(default)s", str(action.default))
        if action.option_strings:
            values = tuple(map(str, action.choices or ()))
            options.append(Option(tuple(action.option_strings), action.nargs != 0, values, about))
        elif isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            words += [(each.dest, each.help or "") for each in action._choices_actions]  # noqa: SLF001 - likewise
        else:
            words += [(str(value), "") for value in action.choices or ()]
    yield Level(command, tuple(options), words)
    for name, below in parsers_below(parser).items():
        yield from levels(below, f"{command} {name}".strip())


def parsers_below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands of a parser, by name, for others to take their place."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # noqa: SLF001 - likewise
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            found = action.choices
    return found


class Script(Protocol):
    """Returns the script for a shell."""

    def __call__(self, levels: Sequence[Level], /) -> str: ...  # noqa: D102


def _bash(levels: Sequence[Level]) -> str:
    return f"""\
# Completion of mateprobe for bash: source it from ~/.bashrc.
_mateprobe() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= word words=
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$command $word" in
            {_patterns(levels)}) command="${{command:+$command }}$word" ;;
        esac
    done
    case "$command:$previous" in
{_case(_after_option(levels, 'words="{}"'), 8)}
        *)
            case "$command:$current" in
{_case(((f"{_quoted(each.command)}:-*", f'words="{_joined(each.flags)}"') for each in levels), 16)}
{_case(((f"{_quoted(each.command)}:*", f'words="{_joined(each.words)}"') for each in levels if each.words), 16)}
            esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _mateprobe mateprobe
"""


def _zsh(levels: Sequence[Level]) -> str:
    def described(words: Words) -> str:
        return f"told=({' '.join(_quoted(f'{word}:{about}') for word, about in words)})"

    return f"""\
#compdef mateprobe
# Completion of mateprobe for zsh: save it as _mateprobe in a folder of $fpath.
_mateprobe() {{
    local command= word
    local -a told
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        case "$command $word" in
            ({_patterns(levels)}) command="${{command:+$command }}$word" ;;
        esac
    done
    case "$command:${{words[CURRENT-1]}}" in
{_case(_after_option(levels, "told=({})"), 8)}
        *)
            case "$command:$PREFIX" in
{_case(((f"{_quoted(each.command)}:-*", described(each.flags)) for each in levels), 16)}
{_case(((f"{_quoted(each.command)}:*", described(each.words)) for each in levels if each.words), 16)}
            esac ;;
    esac
    if (( $#told )); then
        _describe mateprobe told
    else
        _files
    fi
}}
if [[ $funcstack[1] == _mateprobe ]]; then
    _mateprobe "$@"
else
    compdef _mateprobe mateprobe
fi
"""


def _fish(levels: Sequence[Level]) -> str:
    lines = []
    for each in levels:
        here = f"complete -c mateprobe -n 'test (__mateprobe_command) = \"{each.command}\"'"
        lines += [f"{here} -f -a {_fished(word)}{_about(about)}" for word, about in each.words]
        for option in each.options:
            flags = "".join(f" -{'l' if flag.startswith('--') else 's'} {flag.lstrip('-')}" for flag in option.flags)
            values = f" -f -a {_fished(' '.join(option.values))}" if option.values else ""
            lines.append(f"{here}{flags}{' -r' * option.takes_value}{values}{_about(option.help)}")
    text = "\n".join(lines)
    known = " ".join(f"' {each.command}'" if " " not in each.command else f"'{each.command}'" for each in levels[1:])
    return f"""\
# Completion of mateprobe for fish: save it as ~/.config/fish/completions/mateprobe.fish.
function __mateprobe_command
    set -l command ''
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case {known}
                set command (string trim -- "$command $word")
        end
    end
    echo "$command"
end
{text}
"""


def _after_option(levels: Iterable[Level], known: str) -> Iterator[tuple[str, str]]:
    """Yield (pattern, action) for each option that a value follows; where any value may, no word is offered."""
    for each in levels:
        for option in each.options:
            if option.takes_value:
                pattern = "|".join(f"{_quoted(each.command)}:{flag}" for flag in option.flags)
                yield pattern, known.format(" ".join(option.values)) if option.values else ":"


def _patterns(levels: Sequence[Level]) -> str:
    """Return what tells a word that goes on with a command: "command word", of which the command may be none."""
    return "|".join(f'"{" " * (" " not in each.command)}{each.command}"' for each in levels[1:])


def _case(arms: Iterable[tuple[str, str]], indent: int) -> str:
    return "\n".join(f"{' ' * indent}{pattern}) {action} ;;" for pattern, action in arms)


def _joined(words: Words) -> str:
    return " ".join(word for word, _ in words)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fished(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _about(text: str) -> str:
    return f" -d {_fished(text)}" if text else ""


SCRIPTS: Mapping[str, Script] = MappingProxyType({"bash": _bash, "zsh": _zsh, "fish": _fish})
"""What makes the script for a shell, by its name."""
