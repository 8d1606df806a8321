"""The pages of the command line: what the program itself says about every command, set so that it can be read on any screen."""

import os
import re
import subprocess
import sys


def write(folder):
    """An overview, and a page per command."""
    folder.mkdir()
    overview = _said("--help")
    listed = overview.split("Commands:\n")[1].split("\n\n")[0]
    commands = dict(re.findall(r"^  (\S+) +(.*)$", listed, flags=re.M))
    commands.pop("help", None)
    rows = "\n".join(f"| [`swgg {name}`]({name}.md) | {_plain(what)} |" for name, what in commands.items())
    tail = overview.split("Print version\n")[-1].strip()
    parts = [
        "# The command line",
        "What `swgg --help` says, and `swgg COMMAND --help` for every command.",
        f"| command | what it does |\n|---|---|\n{rows}",
        f"```text\n{tail}\n```",
        "```{toctree}\n:hidden:\n\n" + "\n".join(commands) + "\n```",
    ]
    (folder / "index.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    for name in commands:
        (folder / f"{name}.md").write_text(page(name, _said(name, "--help")), "utf-8")


def _said(*words):
    environment = dict(os.environ, COLUMNS="100", NO_COLOR="1")
    told = subprocess.run([sys.executable, "-m", "swgg", *words], check=True, capture_output=True, text=True, env=environment)
    return told.stdout.rstrip()


def page(name, text):
    """The help of a command in Markdown: its words, how it is called, and a list of flags per group."""
    head, _, rest = text.partition("\nUsage:")
    usage, *sections = re.split(r"\n\n(?=\S[^\n]*:\n)", rest)
    parts = [f"# swgg {name}", *(_plain(_flow(paragraph)) for paragraph in head.strip().split("\n\n"))]
    parts.append(f"```text\n{' '.join(usage.split())}\n```")
    for section in sections:
        title, _, body = section.partition(":\n")
        entries = _entries(body)
        # What is no list of flags, such as examples at the end, stays as it is.
        shown = "\n\n".join(entries) if entries else f"```text\n{body.rstrip()}\n```"
        parts.append(f"## {title}\n\n{shown}")
    return "\n\n".join(parts) + "\n"


def _entries(body):
    """Flags and arguments with their explanations, as definitions of Markdown."""
    entries = []
    for chunk in re.split(r"\n(?= {2,6}(?:-|<|\[))", "\n" + body.rstrip()):
        if not chunk.strip():
            continue
        flag, _, words = chunk.strip("\n").partition("\n")
        # Two spaces part a short flag such as `-h, --help` from words on its own line.
        flag, _, beside = flag.strip().partition("  ")
        if not re.match(r"-|<|\[", flag):
            return []
        blocks = [block for block in re.split(r"\n\s*\n", "\n".join([beside.strip(), words]).strip("\n")) if block.strip()]
        if not blocks:
            sys.exit(f"{flag}: the help of the command line has no words for it")
        shown = [_block(block) for block in blocks]
        first, *others = "\n\n".join(shown).splitlines()
        entries.append("\n".join([f"`{flag}`", f": {first}", *(f"  {line}" if line else "" for line in others)]))
    return entries


def _block(block):
    """A paragraph, or a list of values with what each of them means."""
    before, is_list, listed = block.partition("Possible values:\n")
    if not is_list:
        return _plain(_flow(block))
    items = re.split(r"^\s*- ", listed, flags=re.M)[1:]
    said = []
    for item in items:
        value, _, meaning = _flow(item).partition(":")
        said.append(f"- `{value.strip()}`: {_plain(meaning.strip())}" if meaning else f"- `{value.strip()}`")
    lead = [_plain(_flow(before))] if before.strip() else []
    return "\n\n".join([*lead, "\n".join(said)])


def _flow(text):
    return " ".join(text.split())


def _plain(text):
    """Text that Markdown leaves as it is; flags are set as code."""
    text = re.sub(r"([\\`*_<>\[\]$|#])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", text)
