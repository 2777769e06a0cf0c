import { GitFork, Layers, Wrench, type LucideIcon } from "lucide-react";

import type { StepKind } from "./spec";

const ICONS: Record<StepKind, LucideIcon> = { tool: Wrench, map: Layers, choice: GitFork };

export function KindIcon({ kind }: { kind: StepKind }) {
  const Icon = ICONS[kind];
  return <Icon size={14} aria-hidden="true" />;
}
