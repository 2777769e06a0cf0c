import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { mediaType } from "@guildhall/console/ui/sizes";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { StoredObject } from "../objects";
import { PlainText } from "../preview/Preview";

const PDF = "application/pdf";

/** The text that was read from the newest version: what search and the models see of it. */
export function ExtractedText({ object }: { object: StoredObject }) {
  const t = useText();
  const text = useQuery({
    queryKey: ["file-extracted", object.id, object.version, object.text_status],
    queryFn: () => dataOf(api.GET("/api/repo-obj/{id}/text", { params: { path: { id: object.id } } })),
  });
  if (text.isPending) return <SkeletonRows />;
  if (text.isLoadingError) return <ProblemNotice problem={text.error} onRetry={() => void text.refetch()} />;
  if (text.data.text === null) return <EmptyState text={t(`files.text_${text.data.status}`)} />;
  if (text.data.text.trim() === "") return <EmptyState text={t(mediaType(object.content_type) === PDF ? "files.pdf_scan" : "files.empty_text")} />;
  return <PlainText text={text.data.text} />;
}
