"""Each row names the feature that the specification gives it, and none that it does not."""

FEATURES = {
    "chat": ("POST /api/ai/chat", "POST /api/ai/chat/stream"),
    "agent": ("POST /api/agent",),
    "translate": ("POST /api/translate/catalog", "POST /api/translate"),
    "workflows": (
        "POST /api/workflows",
        "GET /api/workflows",
        "GET /api/workflows/:slug",
        "POST /api/workflows/:slug/run",
        "GET /api/doc-triggers",
        "POST /api/doc-triggers",
        "GET /api/doc-triggers/:id",
        "PATCH /api/doc-triggers/:id",
        "DELETE /api/doc-triggers/:id",
        "GET /api/runs",
        "GET /api/runs/:id",
        "POST /api/runs/:id/cancel",
        "POST /api/kg/extract",
    ),
}
# Rows beyond the specification's table that hang on one of its features.
BEYOND = {
    "POST /api/runs/:id/retry": "workflows",
    "GET /api/runs/:id/events": "workflows",
    "GET /api/workflows/:slug/versions": "workflows",
    "PATCH /api/workflows/:slug": "workflows",
    "DELETE /api/workflows/:slug": "workflows",
}


# And whole parts of the table that do.
PARTS = {
    "/api/approvals": "workflows",
    "/api/conversation": "chat",
    "/api/hooks-in": "workflows",
    "/api/schedule": "workflows",
    "/api/webhook": "workflows",
    "/api/workflow-checks": "workflows",
    "/api/workflow-templates": "workflows",
    "/api/workflow-tests": "workflows",
    "/api/workflow-tries": "workflows",
    "/v1/": "chat",
}


def feature_of(path):
    return next((feature for part, feature in PARTS.items() if path.startswith(part)), None)


def test_rows_name_the_features_of_the_specification(request):
    from guildhall_testing.selection import registry_of

    specified = BEYOND | {row: feature for feature, rows in FEATURES.items() for row in rows}
    rows = [
        bound for bound in registry_of(request.config).routes() if not bound.row.path.startswith("/api/x/")
    ]
    assert len(rows) > 80
    wrong = {
        bound.name: bound.row.feature
        for bound in rows
        if bound.row.feature != specified.get(bound.name, feature_of(bound.row.path))
    }
    assert wrong == {}
