"""Where the buckets are said to be; a client may name any other."""

REGION = "local"
