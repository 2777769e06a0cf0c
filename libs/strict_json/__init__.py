"""Strict JSON: any bytes give a value or a `JsonFault` that says where and what to do."""

from libs.strict_json.decoding import (
    MAX_DEPTH,
    MAX_MEMBERS,
    count_marks,
    decode_json,
    encode_json,
    encode_short,
    encode_text,
)
from libs.strict_json.faults import JsonFault
from libs.strict_json.pieces import capacity_after, encode_steps, written
from libs.strict_json.sizes import has_longer_texts, utf8_size
from libs.strict_json.stepwise import decode_steps

__all__ = [
    "MAX_DEPTH",
    "MAX_MEMBERS",
    "JsonFault",
    "capacity_after",
    "count_marks",
    "decode_json",
    "decode_steps",
    "encode_json",
    "encode_short",
    "encode_steps",
    "encode_text",
    "has_longer_texts",
    "utf8_size",
    "written",
]
