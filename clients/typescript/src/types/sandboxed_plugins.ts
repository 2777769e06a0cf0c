/** What the API says about sandboxed plugins. */

export interface SandboxedPluginLeftOut {
  name: string;
  reason: string;
}

export interface SandboxedPluginMeasured {
  files: boolean;
  memory: boolean;
  network: boolean;
  processes: boolean;
  signals: boolean;
}

export interface SandboxedPluginTool {
  name: string;
  original: string;
}

export interface SandboxedPlugin {
  description: string | null;
  detail: string | null;
  granted: string[];
  /** Of a folder without a readable manifest, its name */
  id: string;
  /** Tools that were not taken, and why */
  left_out: SandboxedPluginLeftOut[];
  /** Whether a hostile program in the sandbox was refused every attempt */
  measured: SandboxedPluginMeasured;
  name: string | null;
  requested: string[];
  /** broken: its manifest; refused: there is no sandbox for it */
  status: "connected" | "connecting" | "down" | "broken" | "refused";
  /** A: closed, in a file tree of its own; B: closed; C: limits alone */
  tier: "A" | "B" | "C";
  tools: SandboxedPluginTool[];
  version: string | null;
}

export interface SandboxedPluginPageCapability {
  description: string;
  name: string;
  permission: string;
}

export interface SandboxedPluginPage {
  /** What a plugin may request */
  capabilities: SandboxedPluginPageCapability[];
  items: SandboxedPlugin[];
  next_cursor: string | null;
}
