"""What tests of localization share."""

import pytest

from builtin_plugins.l10n.catalogs.policy import bump_revision
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from guildhall_sdk import Statement

_APPROVE = """
    INSERT INTO l10n_messages
        (id, locale, key, ns, status, version, created_at, updated_at, source, text, approved_text)
    VALUES (:id, :locale, :key, 'nav', 'approved', 1, 0, 0, :source, :text, :text)
    ON CONFLICT (locale, key) DO UPDATE SET text = :text, approved_text = :text
"""
APPROVE = Statement("approve", _APPROVE, _APPROVE)


@pytest.fixture
def rows(hall):
    """`await rows("audit_events", "action = 'x.y'")`: what a table holds."""

    async def rows(table, where="1 = 1"):
        text = f"SELECT * FROM {table} WHERE {where}"
        async with hall.server.data.read() as reader:
            return await reader.all(Statement("rows", text, text))

    return rows


@pytest.fixture
def served(hall):
    return hall.server.service(ServedCatalogs)


@pytest.fixture
def approve(hall, served):
    """`await approve("nl", "nav.notes", "Kladjes")`: as the manager does it when a text is approved."""

    async def approve(locale, key, text, source="Notes"):
        async with hall.server.data.write() as writer:
            await writer.run(
                APPROVE, id=f"msg_{locale}_{key}", locale=locale, key=key, source=source, text=text
            )
            await bump_revision(writer)
        await served.settle()

    return approve
