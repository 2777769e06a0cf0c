import type { ReactNode } from "react";

import { useText } from "../../i18n/texts";
import { EmptyState } from "../../ui/EmptyState";
import { SkeletonRows } from "../../ui/Skeleton";
import { useHasWorkflows } from "./useHasWorkflows";

/** What is shown only where the team has workflows turned on: nothing is asked for that would be refused. */
export function WorkflowsGate({ children }: { children: ReactNode }) {
  const t = useText();
  const hasWorkflows = useHasWorkflows();
  if (hasWorkflows === null) return <SkeletonRows />;
  if (hasWorkflows) return children;
  return <EmptyState text={t("workflows.off")} />;
}
