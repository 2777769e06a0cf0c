"""What the rows of catalogs take and answer."""

from guildhall_sdk.schema import anything, array, boolean, enum, obj, shape, string
from libs.names import LOCALE_MAX, LOCALE_PATTERN

LOCALE = string(max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="A language tag, such as nl-BE")

CATALOG = shape(
    {
        "locale": string(description="The language that was asked for, or the default"),
        "chain": array(string(), description="Where each text is looked for, in this order"),
        "messages": anything(type="object", description="ICU messages by key"),
    }
)
POLICY = shape(
    {
        "default_locale": string(),
        "locales": array(shape({"code": string(), "name": string(), "dir": enum("ltr", "rtl")})),
        "switching": boolean(description="Whether people may choose another language than the default"),
    }
)
POLICY_CHANGE = obj(
    {"default_locale": LOCALE, "switching": boolean()},
    example={"default_locale": "nl", "switching": True},
)
