import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Editor } from "@guildhall/console/ui/Editor";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { formatSize } from "@guildhall/console/ui/sizes";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { fetchPart } from "../download";
import type { PreviewProps } from "./Preview";
import { textOf } from "./parts";
import styles from "./Preview.module.css";

const PART_BYTES = 512 * 1024;
/** More than anybody reads here, and about as much as an editor holds at ease. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A long text, part by part: only what was asked for is loaded, and only what is in view is drawn. */
export default function LongText({ object, version }: PreviewProps) {
  const { t, locale } = useTexts();
  const { size, version: number } = version;
  const parts = useInfiniteQuery({
    queryKey: ["file-parts", object.id, number],
    queryFn: ({ pageParam, signal }) => fetchPart(object.id, number, pageParam, Math.min(size, pageParam + PART_BYTES), signal),
    initialPageParam: 0,
    getNextPageParam: (_last, all) => (all.length * PART_BYTES < Math.min(size, MAX_BYTES) ? all.length * PART_BYTES : null),
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const text = useMemo(() => textOf(parts.data?.pages ?? []), [parts.data]);
  if (parts.isPending) return <SkeletonRows />;
  if (parts.isLoadingError) return <ProblemNotice problem={parts.error} onRetry={() => void parts.refetch()} />;
  const loaded = Math.min(size, parts.data.pages.length * PART_BYTES);
  return (
    <>
      <div className={styles.long}>
        <Editor label={t("files.show_preview")} value={text} language="plain" isReadOnly />
      </div>
      <p className={styles.partBar}>
        <span role="status">{t("files.part_of", { loaded: formatSize(loaded, locale), size: formatSize(size, locale) })}</span>
        {parts.hasNextPage && (
          <Button isPending={parts.isFetchingNextPage} onPress={() => void parts.fetchNextPage()}>
            {t("files.next_part")}
          </Button>
        )}
      </p>
      {parts.isFetchNextPageError && <ProblemNotice problem={parts.error} onRetry={() => void parts.fetchNextPage()} />}
    </>
  );
}
