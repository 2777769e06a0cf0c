import { Suspense } from "react";

import { lazyPart } from "./lazyPart";
import { SkeletonRows } from "./Skeleton";

export interface ChartPoint {
  /** Milliseconds; a day is at its midnight in UTC. */
  at: number;
  /** A figure of each series. */
  values: readonly number[];
}

export interface ChartProps {
  /** What it shows, for who cannot see it. */
  label: string;
  /** What the moments are called. */
  time: string;
  /** One or two; each has an axis of its own. */
  series: readonly { label: string; kind: "bars" | "line" }[];
  /** What the first of them may not pass. */
  limit?: { label: string; value: number } | undefined;
  points: readonly ChartPoint[];
  /** How far points are apart; a day unless given. */
  by?: "day" | "minute";
}

const View = lazyPart(() => import("./ChartView"));

/** Figures by day or by the minute, in the colours of the theme. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<SkeletonRows count={4} />}>
      <View {...props} />
    </Suspense>
  );
}
