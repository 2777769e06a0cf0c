from types import SimpleNamespace

import pytest

from libs.migration_files import MigrationFiles, MigrationSource

ENGINE = SimpleNamespace(name="Mine", dialects=("mine", "sqlite"), id_type="BIGINT")


class Refused(Exception):
    pass


@pytest.fixture
def lay_down(tmp_path):
    """Reads a folder with these files."""

    def lay_down(*names):
        for name in names:
            (tmp_path / name).write_text("SELECT $ID")
        return MigrationFiles(Refused).read(MigrationSource("boxes", tmp_path), ENGINE)

    return lay_down


def test_the_first_dialect_that_there_is_wins_over_the_plain_file(lay_down):
    steps = lay_down("0002_b.sqlite.sql", "0001_a.sql", "0002_b.sql", "0002_b.mine.sql", "0003_c.sqlite.sql")
    assert [step.file for step in steps] == ["0001_a.sql", "0002_b.mine.sql", "0003_c.sqlite.sql"]
    assert {step.text for step in steps} == {"SELECT BIGINT"}


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["first.sql"], "boxes: first.sql is not named like 0001_name.sql"),
        (["0002_b.sql"], "boxes: migration 0001 is missing in "),
        (["0001_a.sql", "0001_b.sql"], "boxes: 0001_b.sql has a number that is taken already"),
        (["0001_a.other.sql"], "boxes: 0001_a is missing for Mine"),
        (["0001_a.sqlit.sql"], "boxes: 0001_a.sqlit.sql: did you mean 0001_a.sqlite.sql?"),
    ],
)
def test_what_is_wrong_with_the_files_is_said(lay_down, names, complaint):
    with pytest.raises(Refused) as refusal:
        lay_down(*names)
    assert str(refusal.value).startswith(complaint)


def test_a_ledger_of_other_steps_is_refused(lay_down):
    files, steps = MigrationFiles(Refused), lay_down("0001_a.sql")
    files.check_ledger({("boxes", 1): steps[0].checksum, ("others", 7): "whatever"}, steps)
    with pytest.raises(Refused, match=r"boxes: 0001_a\.sql was changed after it had been applied"):
        files.check_ledger({("boxes", 1): "other"}, steps)
    with pytest.raises(Refused, match="boxes: the database has migration 0002, which this program does not"):
        files.check_ledger({("boxes", 2): "newer"}, steps)
