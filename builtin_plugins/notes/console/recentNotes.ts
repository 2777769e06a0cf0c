import { useQuery } from "@tanstack/react-query";
import { NotebookPen } from "lucide-react";
import { useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import type { RecentWork } from "@guildhall/console/screens/define";

const MAX_SHOWN = 20;

/** The notes that changed last, of those that this person may see. */
export default function useRecentNotes(): RecentWork {
  const t = useText();
  const notes = useQuery({
    queryKey: ["notes", "recent"],
    queryFn: () => dataOf(api.GET("/api/notes", { params: { query: { limit: MAX_SHOWN } } })),
  });
  const items = useMemo(
    () =>
      (notes.data?.items ?? []).map(({ id, title, owner, updated_at }) => ({
        id,
        path: `/notes/${id}`,
        title: title || t("notes.untitled"),
        icon: NotebookPen,
        owner,
        at: updated_at,
      })),
    [notes.data, t],
  );
  return { items, isPending: notes.isLoading, error: notes.error, refetch: () => void notes.refetch() };
}
