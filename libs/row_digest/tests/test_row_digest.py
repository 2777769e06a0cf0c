from libs.row_digest import LinesDigest, RowsDigest


def digest_of(*rows):
    digest = RowsDigest()
    for row in rows:
        digest.add(row)
    return digest.result()


def test_the_order_of_rows_does_not_matter_and_each_row_does():
    assert digest_of(b"a", b"b") == digest_of(b"b", b"a")
    assert digest_of(b"a", b"b") != digest_of(b"a", b"a")
    assert digest_of(b"a", b"a") != digest_of(b"a")
    assert digest_of()[0] == 0 and len(digest_of()[1]) == 64


def test_lines_are_rows_however_they_come_in_pieces():
    lines = LinesDigest()
    for piece in (b"a", b"\nb", b"", b"b\nc\n"):
        lines.update(piece)
    assert lines.result() == digest_of(b"a", b"bb", b"c")
