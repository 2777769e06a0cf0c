import { Languages } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import type { Waiting } from "@guildhall/console/screens/define";
import { REVIEW_PATH, useWaitingReviews } from "./useWaitingReviews";

/** Translations that wait for this person's review, for the first page: they go when they are reviewed. */
export default function useReviewsWaiting(): Waiting {
  const t = useText();
  const count = useWaitingReviews().data?.count ?? 0;
  const line = { id: "l10n:reviews", path: REVIEW_PATH, icon: Languages, title: t("home.reviews", { count }), stays: true };
  return { heading: "console.reviews", items: count > 0 ? [line] : [] };
}
