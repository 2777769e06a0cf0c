import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { usePages } from "@guildhall/console/ui/usePages";
import styles from "./Browser.module.css";

/** Files whose name or text holds the words, best first. */
export function SearchHits({ query, isAcrossCompany }: { query: string; isAcrossCompany: boolean }) {
  const t = useText();
  const scope = isAcrossCompany ? ({ scope: "org" } as const) : {};
  const hits = usePages(["file-search", query, isAcrossCompany], (cursor) =>
    dataOf(api.GET("/api/search", { params: { query: { q: query, type: "object", ...scope, ...cursor } } })),
  );
  if (hits.isPending) return <SkeletonRows />;
  if (hits.isLoadingError) return <ProblemNotice problem={hits.error} onRetry={() => void hits.refetch()} />;
  const items = hits.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <EmptyState text={t("files.nothing_found", { query })} />;
  return (
    <>
      <ul className={styles.hits} aria-label={t("files.search_results")}>
        {items.map((hit) => (
          <li key={hit.id}>
            <Link href={`/files/${hit.id}`} className={styles.hit ?? ""}>
              <span className={styles.hitTitle} dir="auto">
                {hit.title}
              </span>
              <Snippet text={hit.snippet} />
            </Link>
          </li>
        ))}
      </ul>
      {hits.hasNextPage && (
        <Button isPending={hits.isFetchingNextPage} onPress={() => void hits.fetchNextPage()}>
          {t("action.show_more")}
        </Button>
      )}
    </>
  );
}

/** A passage in which the words found stand between \u0001 and \u0002. */
function Snippet({ text }: { text: string }) {
  if (!text) return null;
  const parts = text.split(/\u0001([^\u0002]*)\u0002/);
  return (
    <span className={styles.snippet} dir="auto">
      {parts.map((part, index) => (index % 2 ? <mark key={index}>{part}</mark> : part))}
    </span>
  );
}
