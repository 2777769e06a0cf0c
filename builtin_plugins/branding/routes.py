"""The rows of branding."""

from builtin_plugins.branding import schemas
from guildhall_sdk import Auth, Route

ROUTES = (
    Route(
        "GET",
        "/api/branding",
        "read_branding",
        "The branding to show here: of the caller's company, of the hostname's, else the instance's.",
        Auth.PUBLIC,
        reply=schemas.BRANDING,
    ),
    Route(
        "PUT",
        "/api/branding",
        "change_instance_branding",
        "Set the instance's branding; fields that are left out stay as they are.",
        permission="instance:manage",
        body=schemas.CHANGE,
        reply=schemas.BRANDING,
    ),
    Route(
        "POST",
        "/api/branding/logo",
        "upload_instance_logo",
        "Upload the instance's logo.",
        permission="instance:manage",
        body=schemas.UPLOAD,
        reply=schemas.BRANDING,
    ),
    Route(
        "GET",
        "/api/branding/logos/:digest",
        "serve_logo",
        "A logo by the SHA-256 of its bytes.",
        Auth.PUBLIC,
        content_type="image/*",
    ),
    Route(
        "GET",
        "/api/org/branding",
        "read_company_branding",
        "The company's branding; what it has not set is the instance's.",
        Auth.ORG_ADMIN,
        permission="org:read",
        reply=schemas.BRANDING,
    ),
    Route(
        "PUT",
        "/api/org/branding",
        "change_company_branding",
        "Set the company's branding; fields that are left out stay as they are.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.CHANGE,
        reply=schemas.BRANDING,
    ),
    Route(
        "DELETE",
        "/api/org/branding",
        "drop_company_branding",
        "Drop the company's branding, its logo too.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        status=204,
    ),
    Route(
        "POST",
        "/api/org/branding/logo",
        "upload_company_logo",
        "Upload the company's logo.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.UPLOAD,
        reply=schemas.BRANDING,
    ),
)
