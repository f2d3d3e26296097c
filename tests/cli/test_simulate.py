"""``evenhand simulate`` has its two commands."""


def test_without_a_command_it_lists_them(evenhand):
    done = evenhand("simulate", "--help")
    assert done.code == 0
    assert "power" in done.out
    assert "figures" in done.out
