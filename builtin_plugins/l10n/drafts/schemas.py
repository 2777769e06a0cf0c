"""What a call for drafts takes and gives."""

from guildhall_sdk.schema import array, integer, obj, shape, string
from libs.names import LOCALE_MAX, LOCALE_PATTERN

DRAFT = obj(
    {
        "locale": string(
            max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl or nl-BE"
        )
    },
    required=["locale"],
    example={"locale": "nl"},
)
QUEUED = shape(
    {
        "queued": integer(0, description="Messages that a job was queued for, at most 20"),
        "remaining": integer(0, description="Missing messages that no job is under way for"),
        "jobs": array(string(description="The id of a job")),
    }
)
