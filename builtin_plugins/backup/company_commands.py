"""`guildhall export`, `guildhall import` and `guildhall erase`."""

import argparse
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from builtin_plugins.backup.commands import LinesOfProgress, disk_errors_translated
from builtin_plugins.backup.companies import CompanySource, export_company, steps_of
from builtin_plugins.backup.company_import import CompanyTarget, import_company
from builtin_plugins.backup.erasing import Erasing
from builtin_plugins.backup.manifest import BackupFault
from guildhall_sdk import SearchSource
from guildhall_sdk.blobs import BlobReferences, BlobStorage, BlobStore
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.retention import AuditRetention
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.search import SearchIndex
from guildhall_sdk.services.tenancy import Directory


@asynccontextmanager
async def _store(host: OpenedHost) -> AsyncIterator[BlobStore]:
    os.umask(0o077)
    storage = host.service(BlobStorage)
    await storage.check(host.data)
    async with storage.opened() as store:
        yield store


async def run_export(options: argparse.Namespace, host: OpenedHost) -> int:
    target = options.folder.absolute()
    with disk_errors_translated(target):
        async with _store(host) as store:
            source = CompanySource(
                data=host.data,
                store=store,
                references=host.plugins.declared(BlobReferences),
                clock=host.clock,
                version=host.version,
                steps=await steps_of(host.data),
                vault=host.service(Vault),
            )
            made = await export_company(source, options.org, target, LinesOfProgress())
    rows = sum(made["tables"].values())
    print(f"{target}: {len(made['tables'])} tables, {rows} rows, {made['blobs']} blobs")
    print("its secrets, password hashes and tokens are in it: guard the folder as you do the server")
    if made["lacking"]:
        print(f"{made['lacking']} blobs were not there to be copied; see `guildhall scrub`")
    return 1 if made["lacking"] else 0


async def run_import(options: argparse.Namespace, host: OpenedHost) -> int:
    with disk_errors_translated(options.folder):
        async with _store(host) as store:
            target = CompanyTarget(
                data=host.data,
                store=store,
                vault=host.service(Vault),
                index=host.service(SearchIndex),
                sources=tuple(host.plugins.declared(SearchSource)),
                steps=await steps_of(host.data),
            )
            done = await import_company(target, options.folder, LinesOfProgress())
    print(f"imported {done.org['slug']} ({done.org['id']}): {done.rows} rows, {done.blobs} blobs")
    if done.dropped:
        print(f"note: {done.dropped} rows are left out, for what they pointed at had been deleted")
    return 0


async def run_erase(options: argparse.Namespace, host: OpenedHost) -> int:
    name = options.org or options.person
    if not options.yes and not _is_meant(name):
        raise BackupFault("nothing was erased; --yes does not ask")
    async with _store(host) as store:
        erasing = Erasing(
            data=host.data,
            store=store,
            references=host.plugins.declared(BlobReferences),
            clock=host.clock,
            vault=host.service(Vault),
            index=host.service(SearchIndex),
            trail=host.service(AuditRetention),
            directory=host.service(Directory),
            progress=LinesOfProgress(),
        )
        receipt: Mapping[str, Any] = await (erasing.company(name) if options.org else erasing.person(name))
    print(json.dumps(receipt, indent=1, sort_keys=True))
    return 0


def _is_meant(name: str) -> bool:
    print(f"This cannot be undone. Type {name} to erase it: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == name
