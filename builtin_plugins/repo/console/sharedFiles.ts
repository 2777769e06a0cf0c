import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import type { Waiting } from "@guildhall/console/screens/define";
import { useIdentity } from "@guildhall/console/session/identity";

const MAX_READ = 50;
const RECENT_MS = 14 * 86_400_000;

/** Files that somebody shared with this person and that changed lately, for the first page. */
export default function useSharedFiles(): Waiting {
  const t = useText();
  const { user } = useIdentity();
  const files = useQuery({
    queryKey: ["repo", "shared lately"],
    queryFn: () => dataOf(api.GET("/api/repo", { params: { query: { shared: "1", sort: "updated", order: "desc", limit: MAX_READ } } })),
  });
  const shared = (files.data?.items ?? []).filter(({ owner, updated_at }) => owner.id !== user.id && Date.now() - Date.parse(updated_at) < RECENT_MS);
  return {
    heading: "console.shared_with_you",
    items: shared.map(({ id, key, owner }) => ({
      id,
      path: `/files/${id}`,
      icon: FileText,
      title: key.split("/").at(-1) ?? key,
      detail: t("console.shared_by", { name: owner.name }),
    })),
  };
}
