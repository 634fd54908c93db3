"""The command's options: checked ranges, one clear line, exit code 2; nothing runs before they are right."""

import pytest

from references.trg import options
from references.trg.plan import BETAS, Plan


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--beta 0", "--beta"),
        ("--beta -0.3", "--beta"),
        ("--beta nan", "--beta"),
        ("--beta inf", "--beta"),
        ("--beta warm", "'warm' is no number"),
        ("--beta 0.3 11", "11"),
        ("--chi 1", "--chi"),
        ("--chi 2.5", "'2.5' is no whole number"),
        ("--steps 0", "--steps"),
        ("--steps -3", "--steps"),
        ("--width 0", "--width"),
        ("--width two", "'two' is no whole number"),
        ("--h 0", "--h"),
        ("--h 1e-5 x", "'x' is no number"),
        ("--beta 1e-6", "reaches below"),
        ("--page .", "is a folder"),
        ("--part nothing", "--part"),
        ("--part jump --chi 24", "--part"),
        ("--surprise", "--surprise"),
    ],
)
def test_wrong_option_is_one_line_and_exit_code_2(
    arguments: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        options.parse(arguments.split())
    message = capsys.readouterr().err
    assert stopped.value.code == 2
    assert message.count("\n") == 1
    assert named in message


def test_without_options_everything_runs() -> None:
    chosen = options.parse([])
    assert chosen.parts == options.PARTS
    assert (chosen.betas, chosen.plan, chosen.widths) == (BETAS, Plan(), (1, 2, 8))


def test_with_options_what_answers_to_them_runs() -> None:
    chosen = options.parse(
        ["--beta", "0.35", "0.5", "--chi", "8", "--steps", "10", "--h", "1e-6", "1e-4", "--width", "2"]
    )
    assert chosen.parts == options.ANSWERS_TO_OPTIONS
    assert chosen.betas == (0.35, 0.5)
    assert chosen.hs == (1e-4, 1e-6)
    assert chosen.plan == Plan(8, 10)
