"""May this company write? While it or the tenant is suspended, reads pass and other writes are refused.

Here the refusal comes in its turn among the gates, before the body is read. The company's state came
with the caller; the tenant's is asked for where there is a host, and by writes alone. What holds in the
end is asked again inside the write: see `kernel.tenancy.suspension`.
"""

from kernel.http.context import Context
from kernel.tenancy.suspension import refuse_if_suspended, tenant_suspended_at


async def check_suspension(ctx: Context) -> None:
    if ctx.within is None:
        return
    tenant_suspended = False
    if ctx.host.settings.hosted:
        async with ctx.read() as reader:
            tenant_suspended = await tenant_suspended_at(reader) is not None
    refuse_if_suspended(tenant=tenant_suspended, org=ctx.signed_in and ctx.principal.org_suspended)
