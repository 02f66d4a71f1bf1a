"""`python -m lasing` is the command line."""

from lasing.cli import main

main()
