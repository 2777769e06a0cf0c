import { useQuery } from "@tanstack/react-query";

import { useLive } from "@guildhall/console/api/live";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { loadCoverage, loadMessages } from "./messages";

export interface WaitingReviews {
  count: number;
  /** Those that have something to review, most first. */
  locales: { locale: string; count: number }[];
}

/** Where reviews are done. */
export const REVIEW_PATH = "/localize/review";

/** How many translations wait for this person's review; their own are for others. Asks nothing of who may not. */
export function useWaitingReviews() {
  const { user } = useIdentity();
  const may = useMay();
  useLive("/api/l10n/messages", ["l10n", "waiting"]);
  return useQuery({
    queryKey: ["l10n", "waiting", user.id],
    queryFn: () => countWaiting(user.id),
    enabled: may("localization:review"),
    staleTime: 30_000,
  });
}

async function countWaiting(userId: string): Promise<WaitingReviews> {
  const coverage = await loadCoverage();
  const waiting = coverage.filter(({ submitted }) => submitted > 0);
  const locales = await Promise.all(
    waiting.map(async ({ locale }) => {
      const page = await loadMessages({ locale, status: "submitted" });
      return { locale, count: page.items.filter((message) => message.submitted_by !== userId).length };
    }),
  );
  const mine = locales.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  return { count: mine.reduce((sum, { count }) => sum + count, 0), locales: mine };
}
