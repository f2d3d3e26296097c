"""The reference of the command says what the command says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "cli_reference.py"
PAGE = ROOT / "docs" / "reference" / "cli.md"


def test_the_page_is_what_the_commands_say() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_page_that_says_something_else_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(TOOL.parent))
    import cli_reference

    page = tmp_path / "cli.md"
    page.write_text(PAGE.read_text(encoding="utf-8").replace("--max-flip-rate", "--max-flips"), encoding="utf-8")
    monkeypatch.setattr(cli_reference, "PAGE", page)
    assert cli_reference.main(["--check"]) == 1
    assert cli_reference.main([]) == 0
    assert cli_reference.main(["--check"]) == 0


def test_every_command_and_option_of_the_help_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sections = re.findall(r"^## (evenhand .+)$", page, flags=re.MULTILINE)
    assert {"evenhand audit", "evenhand probe fit", "evenhand history add"} <= set(sections)
    for command in ("audit", "gate", "import"):
        done = subprocess.run(
            [sys.executable, "-m", "evenhand", command, "--help"], capture_output=True, text=True, check=True
        )
        section = page.split(f"## evenhand {command}\n")[1].split("\n## ")[0]
        options = set(re.findall(r"(--[a-z][a-z-]+)\b", done.stdout)) - {"--help"}
        assert {option for option in options if f"`{option}`" not in section and option not in section} == set()
