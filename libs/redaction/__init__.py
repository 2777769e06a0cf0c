"""Redaction of secrets: tokens, passwords and keys are taken out of any text before it is written."""

import re
from functools import lru_cache

REDACTED = "[redacted]"

_WORDS = (
    r"(?:password|passwd|passphrase|secret|token(?!s)|authorization|cookie|api[-_ ]?key|private[-_]?key"
    r"|access[-_]?key|recovery[-_]?codes?|totp|signature)"
)
_SECRET_NAME = re.compile(rf"(?i){_WORDS}|(?:^|[-_.])key$")
_HARMLESS_NAME = re.compile(r"(?i)(?:_id|_ids|_at|_count|_kind)$")

# Every repetition is bounded or possessive: hostile text costs no more than its length.
# As GitHub's begin, and those of this form that a server issues itself.
_TOKEN = re.compile(r"(?<![A-Za-z0-9])(gh[aoprsuw]_|github_pat_)[^\s\"'`,;&<>()\[\]{}\\|]+")
_SCHEME = re.compile(r"(?i)\b(bearer|basic|digest|aws4-hmac-sha256)\s{1,8}+[^\s\"',][^\r\n\"']*+")
_HEADER = re.compile(r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(\s{0,8}+:\s{0,8}+)[^\r\n\"']++")
_USERINFO = re.compile(r"(://[^/\s:@]{0,256}+:)[^/\s@]{1,1024}+(?=@)")
_TOKEN_AS_USER = re.compile(r"(://)[^/\s:@]{12,1024}+(?=@)")
_ASSIGNED = re.compile(
    rf"(?i)((?:{_WORDS}[-\w]{{0,32}}+(?:\s{{1,4}}+(?:provided|given|sent|used))?+|(?<![a-z])(?:key|pass|pwd))"
    r"(?:\\{0,4}+[\"']?\s{0,8}+[:=]\s{0,8}+|[\"']\s{0,8}+,\s{0,8}+)b?)(?!\[redacted\])"
    r"(\\{1,4}+[\"'][^\"'\\]*+|\"(?:[^\"\\]++|\\++.)*+\"?|'(?:[^'\\]++|\\++.)*+'?"
    r"|[\[{(][^\r\n]*+|[^\s\"',;&)\]}]++)"
)
# As those who sell models begin their keys.
_PROVIDER_KEY = re.compile(
    r"(?<![A-Za-z0-9])(sk-|(?:gsk_|hf_|xai-|nvapi-|AIza|AKIA)(?=[\w.*+/=-]{0,64}\d))[\w.*+/=-]{6,1024}+"
)
# In a sentence: quoted, or with a digit in it, as no word of a sentence is.
_SPOKEN = re.compile(
    rf"(?i)({_WORDS}\s{{1,4}}+(?:(?:is|was|of)\s{{1,4}}+)?)(?!\[redacted\]|tok_)"
    r"(\"[^\"\r\n]{1,1024}+\"|'[^'\r\n]{1,1024}+'|`[^`\r\n]{1,1024}+`|(?=\S{0,64}\d)[^\s\"'`]{8,1024}+)"
)
#: In lower case: a text without any of them holds nothing that `redact` would take out.
HINTS = (
    *(
        "gha_",
        "gho_",
        "ghp_",
        "ghr_",
        "ghs_",
        "ghu_",
        "ghw_",
        "github_pat_",
        "pass",
        "pwd",
        "secret",
        "token",
        "authori",
        "cookie",
        "key",
        "recovery",
    ),
    *("totp", "signature", "bearer", "basic", "digest", "aws4", "://"),
    *("sk-", "gsk_", "hf_", "xai-", "nvapi-", "aiza", "akia"),
)


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Tells whether a field of this name holds a secret; ids, counts and times about one do not."""
    return bool(_SECRET_NAME.search(name)) and not _HARMLESS_NAME.search(name)


def redact(text: str) -> str:
    """Returns the text without anything that looks like a credential."""
    text = _USERINFO.sub(rf"\1{REDACTED}", text)
    text = _TOKEN_AS_USER.sub(rf"\1{REDACTED}", text)
    text = _HEADER.sub(rf"\1\2{REDACTED}", text)
    text = _ASSIGNED.sub(rf"\1{REDACTED}", text)
    text = _SPOKEN.sub(rf"\1{REDACTED}", text)
    text = _SCHEME.sub(rf"\1 {REDACTED}", text)
    text = _PROVIDER_KEY.sub(rf"\1{REDACTED}", text)
    return _TOKEN.sub(rf"\1{REDACTED}", text)
