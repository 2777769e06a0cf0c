"""The rows of signing up, open to pages of every origin."""

from builtin_plugins.beta.signup import schemas
from guildhall_sdk import Auth, Route

ROUTES = (
    Route(
        "GET",
        "/api/beta/challenge",
        "read_challenge",
        "A proof-of-work challenge to solve before signing up.",
        Auth.PUBLIC,
        reply=schemas.CHALLENGE,
        cors=True,
    ),
    Route(
        "POST",
        "/api/beta/signup",
        "sign_up",
        "Sign up with the fields of the published experience and a solved challenge.",
        Auth.PUBLIC,
        body=schemas.SIGNUP,
        reply=schemas.RECEIVED,
        status=201,
        max_body=schemas.MAX_BODY,
        cors=True,
    ),
)
