"""Who provides a service."""

from guildhall_sdk import BlobStore, services
from guildhall_sdk.engines import DatabaseEngine
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

#: What a plugin can ask for whichever plugins there are.
KERNEL_SERVICES = frozenset(
    {
        services.ApiDescription,
        services.AuditRetention,
        services.AuditTrail,
        BlobStore,
        services.Computing,
        services.Credentials,
        DatabaseEngine,
        services.Directory,
        services.Events,
        services.Features,
        services.Files,
        services.JobLimits,
        services.JobRetention,
        services.JsonSchemas,
        services.Jobs,
        services.Metrics,
        services.Passwords,
        services.Plugins,
        services.Preferences,
        services.Readiness,
        services.Roles,
        services.Scratch,
        services.Tools,
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
