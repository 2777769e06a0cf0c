import { useQuery } from "@tanstack/react-query";
import { FileText, Files } from "lucide-react";
import { useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText, type Translate } from "@guildhall/console/i18n/texts";
import type { RecentItem, RecentWork } from "@guildhall/console/screens/define";
import { pathOf, together, type RecentFile } from "./recentFiles";

/** As many as one bulk upload may well be. */
const FILES_PAGE = 100;

/** The files that changed last, of those that this person may see. */
export default function useRecentFiles(): RecentWork {
  const t = useText();
  const files = useQuery({
    queryKey: ["repo", "recent"],
    queryFn: () => dataOf(api.GET("/api/repo", { params: { query: { limit: FILES_PAGE, sort: "updated", order: "desc" } } })),
  });
  const items = useMemo(() => together(files.data?.items ?? []).map((file) => lineOf(file, t)), [files.data, t]);
  return { items, isPending: files.isLoading, error: files.error, refetch: () => void files.refetch() };
}

function lineOf(file: RecentFile, t: Translate): RecentItem {
  const { id, owner, at, count, folder } = file;
  const many = folder ? t("home.files_in", { count: count ?? 0, folder }) : t("files.count", { count: count ?? 0 });
  return { id, path: pathOf(file), title: count === undefined ? file.title : many, icon: count === undefined ? FileText : Files, owner, at };
}
