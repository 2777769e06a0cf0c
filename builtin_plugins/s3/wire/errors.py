"""Every refusal an S3 client can meet. The status and the message stand on the class; the code is its name.

S3Error
├── 304  NotModified
├── 400  a request that is not as it should be, or content that is not what was announced
├── 403  AccessDenied and what is wrong with a signature
├── 404  NoSuchKey, NoSuchUpload, NoSuchVersion
├── 405  MethodNotAllowed
├── 409  what is there forbids it
├── 411  MissingContentLength
├── 412  PreconditionFailed
├── 416  InvalidRange
├── 500  InternalError
├── 501  Unimplemented, whose code is NotImplemented
└── 503  SlowDown
"""

from collections.abc import Mapping
from typing import ClassVar

from guildhall_sdk import Problem


class S3Error(Problem):
    """Answered as an `<Error>` document. `fields` become its elements, `headers` the answer's headers."""

    status: ClassVar[int] = 400
    message: ClassVar[str] = "The request cannot be carried out."
    code: str = "S3Error"

    def __init_subclass__(cls) -> None:
        cls.code = cls.__dict__.get("code", cls.__name__)

    def __init__(
        self, message: str | None = None, *, headers: Mapping[str, str] | None = None, **fields: str
    ) -> None:
        self.text = message or type(self).message
        super().__init__(self.text, headers=headers)
        self.fields = fields


class NotModified(S3Error):
    status = 304
    message = "Not Modified"


class AccessControlListNotSupported(S3Error):
    message = "Who may read or write an object is decided in its team, not by an access control list."


class AuthorizationHeaderMalformed(S3Error):
    message = "The authorization header is malformed."


class AuthorizationQueryParametersError(S3Error):
    message = "The query parameters of the signature are malformed."


class BadRequest(S3Error):
    message = "The request is not valid."


class BadDigest(S3Error):
    message = "The content is not what its digest says."


class EntityTooLarge(S3Error):
    message = "The upload is larger than may be stored."


class EntityTooSmall(S3Error):
    message = "Every part but the last must have at least 5 MiB."


class IncompleteBody(S3Error):
    message = "The body does not have the length that was announced."


class InvalidArgument(S3Error):
    message = "An argument is not valid."


class InvalidBucketName(S3Error):
    message = "The path must begin with the name of a bucket."


class InvalidDigest(S3Error):
    message = "The Content-MD5 is not an MD5 in base64."


class InvalidPart(S3Error):
    message = "A part was not uploaded, or its ETag is another."


class InvalidPartOrder(S3Error):
    message = "The parts must be named in ascending order."


class InvalidPolicyDocument(S3Error):
    message = "The policy of the form is not valid."


class InvalidRequest(S3Error):
    message = "The request is not valid."


class InvalidTag(S3Error):
    message = "A tag is not valid."


class InvalidURI(S3Error):
    message = "Couldn't parse the specified URI."


class KeyTooLongError(S3Error):
    message = "A key has at most 1024 bytes of UTF-8."


class MalformedPOSTRequest(S3Error):
    message = "The body of your POST request is not well-formed multipart/form-data."


class MalformedTrailerError(S3Error):
    message = "The trailer is not well-formed, or lacks what was announced."


class MalformedXML(S3Error):
    message = "The XML is not well-formed, or not what this call takes."


class MaxMessageLengthExceeded(S3Error):
    message = "The body of the call is too long."


class MaxPostPreDataLengthExceeded(S3Error):
    message = "The fields before the file take more than 20 KiB."


class MetadataTooLarge(S3Error):
    message = "The metadata has more than 2 KiB."


class RequestTimeout(S3Error):
    message = "The body did not arrive in time."


class XAmzContentSHA256Mismatch(S3Error):
    message = "The content is not what x-amz-content-sha256 says."


class AccessDenied(S3Error):
    status = 403
    message = "Access Denied"


class AccessForbidden(S3Error):
    status = 403
    message = "CORSResponse: This CORS request is not allowed."


class InvalidAccessKeyId(S3Error):
    status = 403
    message = "There is no such access key."


class QuotaExceeded(S3Error):
    status = 403
    message = "The team's or the company's storage is used up."


class RequestTimeTooSkewed(S3Error):
    status = 403
    message = "The clocks of client and server differ by more than 15 minutes."


class SignatureDoesNotMatch(S3Error):
    status = 403
    message = "The signature is not the one that this request and your secret key give."


class NoSuchCORSConfiguration(S3Error):
    status = 404
    message = "The CORS configuration does not exist"


class NoSuchKey(S3Error):
    status = 404
    message = "There is no object with this key."


class NoSuchLifecycleConfiguration(S3Error):
    status = 404
    message = "The lifecycle configuration does not exist"


class NoSuchUpload(S3Error):
    status = 404
    message = "There is no such upload; it may have been completed or aborted."


class NoSuchVersion(S3Error):
    status = 404
    message = "The object has no such version."


class MethodNotAllowed(S3Error):
    status = 405
    message = "The method is not allowed on this resource."


class BucketAlreadyOwnedByYou(S3Error):
    status = 409
    message = "The bucket is yours already."


class OperationAborted(S3Error):
    status = 409
    message = "Another change is under way; try again."


class MissingContentLength(S3Error):
    status = 411
    message = "The length of the content must be told."


class PreconditionFailed(S3Error):
    status = 412
    message = "At least one of the conditions did not hold."


class InvalidRange(S3Error):
    status = 416
    message = "The range lies outside the object."


class InternalError(S3Error):
    status = 500
    message = "Something went wrong here."


class Unimplemented(S3Error):
    code = "NotImplemented"
    status = 501
    message = "This part of S3 is not offered here."


class SlowDown(S3Error):
    status = 503
    message = "Too many requests; slow down."
