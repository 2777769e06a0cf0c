"""Every row of every plugin, as the generator tests it."""


async def test_conformance(shared_hall, conformance_case):
    await conformance_case.run(shared_hall)
