import { Stamp } from "lucide-react";

import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import type { Waiting } from "@guildhall/console/screens/define";
import { APPROVALS, useMine } from "./approval";

/** What runs ask this person, for the first page: it stays there until it is decided. */
export default function useWaitingApprovals(): Waiting {
  const t = useText();
  const mine = useMine();
  useLive("/api/approvals", APPROVALS);
  return {
    heading: "approvals.waiting",
    items: (mine.data?.items ?? []).map(({ id, title, requested_at, expires_at }) => ({
      id,
      path: `/approvals/${id}`,
      icon: Stamp,
      title,
      detail: expires_at ? t("approvals.until", { time: new Date(expires_at).toLocaleString() }) : "",
      at: requested_at,
      stays: true,
    })),
  };
}
