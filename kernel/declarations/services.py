"""Who provides a service."""

from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.metrics import KernelMetrics
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.principal import Roles
from guildhall_sdk.retention import AuditTrail
from guildhall_sdk.services.computing import Computing, Scratch, Validators
from guildhall_sdk.services.identity import Credentials, Passwords, Vault
from guildhall_sdk.services.jobs import JobLimits, JobRetention, Jobs, WorkerRegistry, Workers
from guildhall_sdk.services.server import DatabaseHealth, InstanceFacts, ServerLife
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.subscriptions import Events
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

#: What a plugin can ask for whichever plugins there are.
KERNEL_SERVICES = frozenset(
    {
        AuditTrail,
        Computing,
        Credentials,
        DatabaseEngine,
        DatabaseHealth,
        Directory,
        Events,
        Features,
        JobLimits,
        JobRetention,
        InstanceFacts,
        KernelMetrics,
        Jobs,
        Passwords,
        Plugins,
        Roles,
        Scratch,
        Validators,
        ServerLife,
        Vault,
        WorkerRegistry,
        Workers,
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
