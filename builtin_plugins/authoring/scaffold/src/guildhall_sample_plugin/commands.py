"""`guildhall sample-plugin COMPANY`: for the operator, beside a running server too."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from guildhall_sdk import Command, NotFound, hookimpl
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.services.tenancy import Directory


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("company", help="by slug or id")


async def describe_company(options: Namespace, host: OpenedHost) -> int:
    async with host.data.read() as reader:
        company = await host.service(Directory).org_by_ref(reader, options.company)
    if company is None:
        raise NotFound(f"there is no company {options.company}")
    sys.stdout.write(f"{company.name} is {company.id}\n")
    return 0


@hookimpl
def declare_commands() -> Sequence[Command]:
    return [
        Command(
            name="sample-plugin",
            help="say which company has a slug",
            opened=describe_company,
            arguments=arguments,
        ),
    ]
