import { Suspense } from "react";

import { lazyPart } from "./lazyPart";
import { SkeletonRows } from "./Skeleton";

const MarkdownView = lazyPart(() => import("./MarkdownView"));

/** A text in Markdown as it is meant to look; whatever stands in it, nothing of it runs. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<SkeletonRows count={3} />}>
      <MarkdownView text={text} />
    </Suspense>
  );
}
