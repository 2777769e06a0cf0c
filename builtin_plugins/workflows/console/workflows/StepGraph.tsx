import { Suspense } from "react";

import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { SpecGraph } from "./spec";
import type { StepDrawingProps } from "./StepDrawing";

const StepDrawing = lazyPart(() => import("./StepDrawing"));

interface StepGraphProps extends Omit<StepDrawingProps, "graph"> {
  /** Null while it is on its way: its place is there at once, so that nothing beside it moves when it comes. */
  graph: SpecGraph | null;
}

/** The steps of a workflow as a drawing, for the eye and the mouse; `StepList` says the same to everybody. */
export function StepGraph({ graph, ...rest }: StepGraphProps) {
  if (graph?.steps.length === 0) return null;
  const waiting = <SkeletonRows count={4} />;
  return (
    <div>
      <Suspense fallback={waiting}>{graph ? <StepDrawing graph={graph} {...rest} /> : waiting}</Suspense>
    </div>
  );
}
