import { Languages } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { Line } from "@guildhall/console/ui/Lines";
import { REVIEW_PATH, useWaitingReviews } from "./useWaitingReviews";

/** Translations that wait for this person's review, for the first page. */
export default function WaitingReviews() {
  const t = useText();
  const count = useWaitingReviews().data?.count ?? 0;
  return count > 0 && <Line path={REVIEW_PATH} icon={Languages} title={t("home.reviews", { count })} />;
}
