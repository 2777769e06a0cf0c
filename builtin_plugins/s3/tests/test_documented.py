"""What docs/s3.md shows of pages works as it stands there."""

import asyncio
import html
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

# What goes over the wire is the same whatever keeps it.
pytestmark = pytest.mark.hall_databases("sqlite")

PAGE = Path(__file__).resolve().parents[3] / "docs" / "s3.md"


@pytest.fixture
def shown(bucket):
    """`await shown("form")`: what the example of that name leaves behind."""

    async def shown(name):
        text = PAGE.read_text("utf-8")
        code = re.search(rf"<!-- run: {name} -->\n```python\n(.*?)```", text, re.DOTALL)[1]
        names = {"s3": bucket.client, "bucket": bucket.name, "html": html}
        await asyncio.to_thread(exec, code, names)
        return names

    return shown


class Page(HTMLParser):
    """A form as a browser reads it."""

    def __init__(self):
        super().__init__()
        self.form, self.inputs = {}, []

    def handle_starttag(self, tag, attributes):
        if tag == "form":
            self.form = dict(attributes)
        elif tag == "input":
            self.inputs.append(dict(attributes))


async def test_the_form_of_the_page_uploads(bucket, http, shown):
    page = Page()
    page.feed((await shown("form"))["page"])
    *hidden, file = page.inputs
    assert (file["type"], page.form["method"], page.form["enctype"]) == (
        "file", "post", "multipart/form-data"
    )  # fmt: skip
    fields = {one["name"]: one["value"] for one in hidden}
    answer = await http.post(
        page.form["action"], data=fields, files={file["name"]: ("a picture.png", b"png", "image/png")}
    )
    assert answer.status_code == 201, answer.text
    assert ElementTree.fromstring(answer.content).findtext("Key") == "inbox/a picture.png"
    assert await bucket.read("inbox/a picture.png") == b"png"
    empty = await http.post(page.form["action"], data=fields, files={file["name"]: ("a.png", b"")})
    assert (empty.status_code, "<Code>EntityTooSmall</Code>" in empty.text) == (400, True)


async def test_the_rules_of_the_page_let_that_page_put(bucket, http, shown):
    await shown("cors")
    link = bucket.client.generate_presigned_url("put_object", Params={"Bucket": bucket.name, "Key": "k"})
    origin = {"Origin": "https://page.example"}
    asked = await http.options(
        link,
        headers={
            **origin,
            "Access-Control-Request-Method": "PUT",
            "Access-Control-Request-Headers": "content-type",
        },
    )
    assert (asked.status_code, asked.headers["access-control-allow-headers"]) == (200, "content-type")
    put = await http.put(link, content=b"x", headers=origin)
    assert (put.status_code, put.headers["access-control-allow-origin"]) == (200, origin["Origin"])
    assert "ETag" in put.headers["access-control-expose-headers"]
