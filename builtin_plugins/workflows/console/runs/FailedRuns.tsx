import { CircleX, X } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { reasonWords } from "@guildhall/console/ui/faultWords";
import { Line } from "@guildhall/console/ui/Lines";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import type { FailureGroup } from "./failedRuns";
import { useFailedRuns } from "./useFailedRuns";

/** Runs of this person that failed, for the first page. */
export default function FailedRuns() {
  const t = useText();
  const failed = useFailedRuns();
  const announce = useAnnounce();
  const dismiss = (group: FailureGroup) => announce(t("home.dismissed"), failed.dismiss(group));
  return failed.groups.map((group) => {
    const title = t("home.runs_failed", { workflow: group.slug, count: group.count });
    return (
      <Line
        key={group.key}
        path={group.count > 1 ? `/runs?state=failed&workflow=${encodeURIComponent(group.slug)}` : `/runs/${group.newest}`}
        icon={CircleX}
        isAlarming
        title={title}
        detail={group.words && reasonWords(t, group.words)}
        meta={<Time at={group.at} />}
        action={
          <Button kind="quiet" aria-label={t("home.dismiss", { title })} onPress={() => dismiss(group)}>
            <X size={16} aria-hidden="true" />
          </Button>
        }
      />
    );
  });
}
