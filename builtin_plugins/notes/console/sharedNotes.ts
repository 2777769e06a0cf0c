import { useQuery } from "@tanstack/react-query";
import { NotebookPen } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import type { Waiting } from "@guildhall/console/screens/define";
import { useIdentity } from "@guildhall/console/session/identity";
import { isShown } from "./filters";

const MAX_READ = 50;
const RECENT_MS = 14 * 86_400_000;

/** Notes that somebody shared with this person and that changed lately, for the first page. */
export default function useSharedNotes(): Waiting {
  const t = useText();
  const { user } = useIdentity();
  const notes = useQuery({
    queryKey: ["notes", "shared"],
    queryFn: () => dataOf(api.GET("/api/notes", { params: { query: { limit: MAX_READ } } })),
  });
  const shared = (notes.data?.items ?? []).filter((note) => isShown(note, "shared", user.id) && Date.now() - Date.parse(note.updated_at) < RECENT_MS);
  return {
    heading: "console.shared_with_you",
    items: shared.map(({ id, title, owner }) => ({
      id,
      path: `/notes/${id}`,
      icon: NotebookPen,
      title: title || t("notes.untitled"),
      detail: t("console.shared_by", { name: owner.name }),
    })),
  };
}
