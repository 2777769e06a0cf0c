"""`guildhall loans COMPANY`: how much of a company's things is lent."""

from argparse import ArgumentParser, Namespace

from guildhall_loans.things import sql
from guildhall_sdk import Command, NotFound
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.services.tenancy import Directory


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("company", help="by slug or id")


async def count_things(options: Namespace, host: OpenedHost) -> int:
    async with host.data.read() as reader:
        org = await host.service(Directory).org_by_ref(reader, options.company)
        if org is None:
            raise NotFound(f"there is no company {options.company}")
        counted = await reader.one(sql.count_things, org_id=org.id)
    if counted is not None:
        print(f"{org.name}: {counted['things']} things, {counted['lent']} lent")  # noqa: T201
    return 0


COMMAND = Command(name="loans", help="count a company's things", opened=count_things, arguments=arguments)
