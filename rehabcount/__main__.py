"""`python -m rehabcount` is the `rehabcount` command."""

from rehabcount.cli.main import main

if __name__ == "__main__":
    main()
