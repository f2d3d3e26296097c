"""``python -m evenhand`` is the command."""

from evenhand.cli.main import run

if __name__ == "__main__":
    run()
