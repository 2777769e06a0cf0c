"""Companies with hostnames, and experiences to publish."""

import pytest

EXPERIENCE = "/api/beta/experience"
DOCUMENT = {
    "fields": [{"name": "email", "type": "email", "label": "Work e-mail", "required": True}],
    "copy": {"en": {"title": "Ship on time", "submit": "Join", "thanks": "See you"}},
    "theme": {"radius": 4},
    "judge_prompt": "canary-judge-prompt",
}


@pytest.fixture
def settle_at(hall):
    """`await settle_at(hall.acme, "acme.example")`: registers a hostname for a company."""

    async def settle(company, hostname):
        answer = await hall.operator.patch(f"/api/orgs/{company.org_id}", {"domain": hostname})
        assert answer.status_code == 200, answer.text

    return settle


@pytest.fixture
def publish():
    """`await publish(client, theme={})`: saves and publishes an experience with these changes."""

    async def publish(client, **changes):
        saved = await client.put(EXPERIENCE, {**DOCUMENT, **changes})
        assert saved.status_code == 200, saved.text
        published = await client.post(f"{EXPERIENCE}/publish")
        assert published.status_code == 200, published.text
        return published.json()

    return publish
