"""How a call of an out-of-process plugin's tool fails when it is the plugin's doing."""

from guildhall_sdk import Unavailable
from guildhall_sdk.errors import BadGateway, GatewayTimeout


class PluginFailed(BadGateway):
    code = "plugin_failed"
    title = "The plugin failed"


class PluginTimeout(GatewayTimeout):
    code = "plugin_timeout"
    title = "The plugin did not answer in time"


class PluginUnavailable(Unavailable):
    code = "plugin_unavailable"
    title = "The plugin is not running"
