"""Forms as people make them, and as nobody should."""

import base64
import json
from datetime import UTC, datetime
from xml.etree import ElementTree

from botocore.auth import S3SigV4PostAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

BOUNDARY = "----a-page-of-somebody-else"


class Forms:
    """`await forms.send(forms.signed("key"), b"content")`: the answer."""

    def __init__(self, hall, bucket, http):
        self._hall, self._bucket, self._http = hall, bucket, http
        self.url = f"{bucket.client.meta.endpoint_url}/{bucket.name}"

    def signed(self, key, *conditions, expires_in=600, **fields):
        """The fields of a form by boto3; fields have conditions of their own."""
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        made = self._bucket.client.generate_presigned_post(
            self._bucket.name,
            key,
            Fields=fields,
            Conditions=[*({name: value} for name, value in fields.items()), *conditions],
            ExpiresIn=expires_in,
        )
        assert made["url"] == self.url
        return made["fields"]

    def signed_over(self, document, **fields):
        """The fields of a form with this very policy, or one of bytes."""
        if not isinstance(document, bytes):
            document = json.dumps(document).encode()
        context = {"fields": fields, "policy": {"conditions": []}}
        request = AWSRequest("POST", self.url)
        request.context["s3-presign-post-fields"] = context["fields"]
        request.context["s3-presign-post-policy"] = context["policy"]
        held = Credentials(self._bucket.key["access_key_id"], self._bucket.key["secret_access_key"])
        signer = S3SigV4PostAuth(held, "s3", "local")
        signer.add_auth(request)
        fields["policy"] = base64.b64encode(document).decode()
        fields["x-amz-signature"] = signer.signature(fields["policy"], request)
        return fields

    def policy(self, fields, *conditions, expires_in=600):
        """A policy that lets through what the form has."""
        ends = datetime.fromtimestamp(self._hall.clock.now_ms() / 1000 + expires_in, UTC)
        own = [{"bucket": self._bucket.name}, *({name: value} for name, value in fields.items())]
        signature = [["starts-with", f"$x-amz-{name}", ""] for name in ("algorithm", "credential", "date")]
        return {
            "expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "conditions": [*own, *signature, *conditions],
        }

    async def send(self, fields, content=b"content", *, filename="page.txt", **more):
        files = {"file": (filename, content)}
        return await self._http.post(self.url, data=fields, files=files, **more)

    async def send_raw(self, body, **headers):
        told = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", **headers}
        return await self._http.post(self.url, content=body, headers=told)


def part(name, content=b"", filename=None, ending=b"\r\n"):
    told = f'Content-Disposition: form-data; name="{name}"'
    if filename is not None:
        told += f'; filename="{filename}"'
    content = content if isinstance(content, bytes) else str(content).encode()
    return f"--{BOUNDARY}\r\n{told}\r\n\r\n".encode() + content + ending


def raw_form(fields, content, *after):
    """A whole body; `after` are the parts behind the file."""
    before = b"".join(part(name, value) for name, value in fields.items())
    return before + part("file", content, "page.txt") + b"".join(after) + f"--{BOUNDARY}--\r\n".encode()


def refusal(answer):
    """The status, the code and the message."""
    told = ElementTree.fromstring(answer.content)
    return answer.status_code, told.findtext("Code"), told.findtext("Message")
