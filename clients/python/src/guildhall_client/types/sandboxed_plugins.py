"""What the API says about sandboxed plugins."""

from typing import Literal, TypedDict


class SandboxedPluginLeftOut(TypedDict):
    name: str
    reason: str


class SandboxedPluginMeasured(TypedDict):
    files: bool
    memory: bool
    network: bool
    processes: bool
    signals: bool


class SandboxedPluginTool(TypedDict):
    name: str
    original: str


class SandboxedPlugin(TypedDict):
    description: str | None
    detail: str | None
    granted: list[str]
    #: Of a folder without a readable manifest, its name
    id: str
    #: Tools that were not taken, and why
    left_out: list[SandboxedPluginLeftOut]
    #: Whether a hostile program in the sandbox was refused every attempt
    measured: SandboxedPluginMeasured
    name: str | None
    requested: list[str]
    #: broken: its manifest; refused: there is no sandbox for it
    status: Literal["connected", "connecting", "down", "broken", "refused"]
    #: A: closed, in a file tree of its own; B: closed; C: limits alone
    tier: Literal["A", "B", "C"]
    tools: list[SandboxedPluginTool]
    version: str | None


class SandboxedPluginPageCapability(TypedDict):
    description: str
    name: str
    permission: str


class SandboxedPluginPage(TypedDict):
    #: What a plugin may request
    capabilities: list[SandboxedPluginPageCapability]
    items: list[SandboxedPlugin]
    next_cursor: str | None


__all__ = [
    "SandboxedPlugin",
    "SandboxedPluginLeftOut",
    "SandboxedPluginMeasured",
    "SandboxedPluginPage",
    "SandboxedPluginPageCapability",
    "SandboxedPluginTool",
]
