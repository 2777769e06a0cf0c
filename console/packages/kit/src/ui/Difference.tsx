import { Suspense } from "react";

import { lazyPart } from "./lazyPart";
import { SkeletonRows } from "./Skeleton";

export interface DifferenceProps {
  before: string;
  after: string;
  /** What the two are called: "Version 2", "Mine". */
  beforeName: string;
  afterName: string;
}

const DifferenceView = lazyPart(() => import("./DifferenceView"));

/** Two texts side by side, one below the other on a phone, with what differs marked. */
export function Difference(props: DifferenceProps) {
  return (
    <Suspense fallback={<SkeletonRows count={4} />}>
      <DifferenceView {...props} />
    </Suspense>
  );
}
