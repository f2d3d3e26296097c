import pytest

from evenhand.cli.bias_options import bias_names_of, bias_parts
from evenhand.errors import ConfigError


def test_bias_audits_with_commas_and_one_by_one() -> None:
    assert bias_names_of(None) == ()
    assert bias_names_of(["tone, verbosity", "tone"]) == ("verbosity", "tone")
    assert "interaction" in bias_names_of(["all"])
    assert bias_parts(["a,b", " c "]) == ("a", "b", "c")
    for wrong in ("", "tone,", "colour"):
        with pytest.raises(ConfigError, match="unknown bias audit"):
            bias_names_of([wrong])
