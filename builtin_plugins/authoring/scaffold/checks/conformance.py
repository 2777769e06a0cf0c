from guildhall_testing.conformance import ConformanceCase
from guildhall_testing.hall import Hall


async def test_conformance(shared_hall: Hall, conformance_case: ConformanceCase) -> None:
    await conformance_case.run(shared_hall)
