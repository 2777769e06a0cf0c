import { Suspense } from "react";
import { useLocation } from "wouter";

import { useMay } from "@guildhall/console/session/identity";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Browser } from "./Browser";
import { readAcrossCompany } from "./download";
import type { View } from "./objects";
import { useFinishedUploads } from "./uploads/useFinishedUploads";
import { mayRestore } from "./Views";

const Document = lazyPart(() => import("./document/Document"));
const VIEWS: Record<string, View> = { shared: "shared", company: "company", deleted: "deleted" };

/** Everything below /files: the browser in its views, and each object under its id. */
export default function Files() {
  const [path] = useLocation();
  const may = useMay();
  useFinishedUploads();
  readAcrossCompany(may("org:read"));
  const segment = path.split("/")[2] ?? "";
  if (segment.startsWith("obj_")) {
    return (
      <Suspense fallback={<SkeletonRows />}>
        <Document key={segment} id={segment} />
      </Suspense>
    );
  }
  const view = VIEWS[segment] ?? "all";
  const isShown = (view !== "company" || may("org:read")) && (view !== "deleted" || mayRestore(may));
  return <Browser key={view} view={isShown ? view : "all"} />;
}
