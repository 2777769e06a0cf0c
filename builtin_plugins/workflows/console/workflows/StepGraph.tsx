import { Suspense } from "react";

import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { StepDrawingProps } from "./StepDrawing";

const StepDrawing = lazyPart(() => import("./StepDrawing"));

/** The steps of a workflow as a drawing, for the eye and the mouse; `StepList` says the same to everybody. */
export function StepGraph(props: StepDrawingProps) {
  if (props.graph.steps.length === 0) return null;
  return (
    <Suspense fallback={<SkeletonRows count={4} />}>
      <StepDrawing {...props} />
    </Suspense>
  );
}
