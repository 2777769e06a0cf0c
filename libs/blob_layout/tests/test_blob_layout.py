"""No byte of a blob at rest changes unnoticed."""

import hashlib

import pytest

from libs.blob_layout import (
    BLOCK,
    DIGEST,
    BlockHasher,
    Corrupt,
    batches,
    blocks_between,
    content_size,
    crc_of,
    digest_of,
    trailer_size,
    verify_block,
    verify_small,
    verify_trailer,
)
from libs.blob_layout.tests.earlier_release import stored_by_an_earlier_release

SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 7]


def stored(size):
    content = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    hasher = BlockHasher()
    for start in range(0, size, 100_000):
        hasher.update(content[start : start + 100_000])
    return content, *hasher.finish()


@pytest.mark.parametrize("size", SIZES)
def test_what_was_stored_is_verified_and_its_length_is_known(size):
    content, sha256, length, trailer = stored(size)
    assert (sha256, length) == (hashlib.sha256(content).hexdigest(), size)
    assert len(trailer) == trailer_size(size)
    assert content_size(size + len(trailer)) == size
    if size <= BLOCK:
        verify_small(sha256, content)
        return
    checksum = verify_trailer(sha256, size, trailer)
    assert checksum is crc_of
    for index, part in blocks_between(0, size):
        block = content[index * BLOCK : (index + 1) * BLOCK]
        verify_block(sha256, index, block, trailer[index * DIGEST : (index + 1) * DIGEST], checksum)
        assert part.start == 0


def test_the_trailer_is_the_one_that_is_in_every_blob_stored_since():
    trailer = stored(BLOCK + 1)[-1]
    assert [trailer[start : start + DIGEST].hex() for start in range(0, len(trailer), DIGEST)] == [
        "000000000000000000000000000000000000000000000000bfce35cf62381e83",
        "0000000000000000000000000000000000000000000000005cfb510b762e37ab",
        "260021d06b864d462820d8c36283b197f10522b92e4053a00eaba38db10781ea",
    ]


@pytest.mark.parametrize("size", [size for size in SIZES if size > BLOCK])
def test_a_blob_of_an_earlier_release_is_verified_by_its_digests(size):
    content, sha256, _, trailer = stored(size)
    earlier = stored_by_an_earlier_release(content)
    assert len(earlier) == size + len(trailer)
    digests = earlier[size:]
    assert verify_trailer(sha256, size, digests) is digest_of
    verify_block(sha256, 0, content[:BLOCK], digests[:DIGEST], digest_of)
    with pytest.raises(Corrupt, match="is corrupt at block 0"):
        verify_block(sha256, 0, b"x" + content[1:BLOCK], digests[:DIGEST], digest_of)
    # The checksums of the one do not pass for the digests of the other.
    with pytest.raises(Corrupt):
        verify_trailer(sha256, size, trailer[:-DIGEST] + digests[-DIGEST:])


def test_a_changed_byte_is_found_in_the_blob_and_in_its_trailer():
    content, sha256, size, trailer = stored(BLOCK + 1)
    with pytest.raises(Corrupt, match="is corrupt at block 0"):
        verify_block(sha256, 0, b"x" + content[1:BLOCK], trailer[:DIGEST], crc_of)
    for broken in (b"x" + trailer[1:], trailer[:-1], trailer[:-1] + b"x"):
        with pytest.raises(Corrupt, match="not as they were written"):
            verify_trailer(sha256, size, broken)
    with pytest.raises(Corrupt, match="is corrupt"):
        verify_small(sha256, b"")


def test_the_parts_of_blocks_are_those_of_the_range():
    assert list(blocks_between(BLOCK - 1, BLOCK + 2)) == [
        (0, slice(BLOCK - 1, BLOCK)),
        (1, slice(0, 2)),
    ]


async def test_chunks_come_in_batches_that_are_worth_a_thread():
    async def chunks():
        for _ in range(5):
            yield b"x" * 300_000

    assert [len(batch) async for batch in batches(chunks())] == [4, 1]
