"""`python -m lasing` is the command line."""

from lasing.cli import command

command()
