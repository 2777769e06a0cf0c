"""Every row of every plugin, as the generator tests it."""

from kernel.testing.conformance import cases_for, kinds
from kernel.testing.selection import registry_of


async def test_conformance(shared_hall, conformance_case):
    await conformance_case.run(shared_hall)


def test_every_kind_of_case_has_a_row(pytestconfig):
    assert {case.kind for case in cases_for(registry_of(pytestconfig))} == set(kinds())
