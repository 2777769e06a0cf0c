import { Braces, GitFork, Globe, Hourglass, Layers, Puzzle, Split, Stamp, Workflow, Wrench, type LucideIcon } from "lucide-react";

const ICONS: Record<string, LucideIcon> = {
  tool: Wrench,
  map: Layers,
  choice: GitFork,
  parallel: Split,
  approve: Stamp,
  wait: Hourglass,
  workflow: Workflow,
  transform: Braces,
  http: Globe,
};

/** A kind of step; one that a plugin brings has the icon of plugins. */
export function KindIcon({ kind }: { kind: string }) {
  const Icon = ICONS[kind] ?? Puzzle;
  return <Icon size={14} aria-hidden="true" />;
}
