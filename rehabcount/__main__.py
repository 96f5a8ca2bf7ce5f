"""`python -m rehabcount` is the `rehabcount` command."""

from rehabcount.app.cli import main

if __name__ == "__main__":
    main()
