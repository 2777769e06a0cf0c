"""May this company write? While it or the tenant is suspended, reads pass and other writes are refused.

Here by what was read with the caller, so that a refusal comes before the body and costs nothing more;
`kernel.tenancy.suspension` asks again inside the write.
"""

from kernel.http.context import Context
from kernel.tenancy.suspension import refuse_if_suspended, tenant_suspended_at


async def check_suspension(ctx: Context) -> None:
    if ctx.within is None:
        return
    if ctx.signed_in:
        caller = ctx.principal
        refuse_if_suspended(tenant=caller.tenant_suspended, org=caller.org_suspended)
        return
    async with ctx.read() as reader:
        refuse_if_suspended(tenant=await tenant_suspended_at(reader) is not None, org=False)
