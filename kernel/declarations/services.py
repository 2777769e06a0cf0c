"""Who provides a service."""

from guildhall_sdk import services
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.services.facts import InstanceFacts
from guildhall_sdk.services.metrics import KernelMetrics
from guildhall_sdk.services.readiness import DatabaseHealth, ServerLife
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

#: What a plugin can ask for whichever plugins there are.
KERNEL_SERVICES = frozenset(
    {
        services.AuditTrail,
        services.Computing,
        services.Credentials,
        DatabaseEngine,
        DatabaseHealth,
        services.Directory,
        services.Events,
        services.Features,
        services.JobLimits,
        services.JobRetention,
        InstanceFacts,
        KernelMetrics,
        services.Jobs,
        services.Passwords,
        services.Plugins,
        services.Roles,
        services.Scratch,
        services.Validators,
        ServerLife,
        services.Vault,
        services.WorkerRegistry,
        services.Workers,
    }
)


def check_services(plugin: LoadedPlugin, registry: Registry) -> None:
    """Refuses a second provider of a service: what others have captured must not change under them."""
    providers = {protocol: one.id for one in registry.plugins for protocol in one.services}
    for protocol in plugin.services:
        provider = "the kernel" if protocol in KERNEL_SERVICES else providers.get(protocol)
        if provider is not None:
            raise PluginFault(
                f"the service {protocol.__name__} is declared by {plugin.id}, "
                f"but {provider} provides it already"
            )
