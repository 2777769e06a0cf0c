"""The cyclic checksums that take a library; imported at the first use, as it is large and few need it."""

from awscrt import checksums as native  # type: ignore[import-untyped]

from builtin_plugins.s3.wire.crcs import Crc

CRC32 = Crc(4, native.crc32, native.combine_crc32)
CRC32C = Crc(4, native.crc32c, native.combine_crc32c)
CRC64NVME = Crc(8, native.crc64nvme, native.combine_crc64nvme)
