import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";

import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useSwitchTeam } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Switch } from "@guildhall/console/ui/Switch";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import styles from "./Inbox.module.css";
import { LIST, loadPage, markRead, type Notice } from "./inboxCalls";
import { WhatIHear } from "./WhatIHear";

/** What one was told, newest first, and what one wants to hear of. */
export default function Inbox() {
  const t = useText();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { team, teams } = useIdentity();
  const goTo = useSwitchTeam();
  const [isUnread, setUnread] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const pages = usePages(["notifications", "list", isUnread], (cursor) => loadPage({ ...cursor, ...(isUnread && { unread: "1" }) }));
  useLive(LIST, ["notifications"]);
  const read = useMutation({ mutationFn: markRead, onSettled: () => void client.invalidateQueries({ queryKey: ["notifications"] }) });
  async function open(notice: Notice) {
    setProblem(null);
    if (!notice.read_at) read.mutate({ ids: [notice.id] });
    const other = notice.team && notice.team.id !== team.id ? teams.find(({ id }) => id === notice.team?.id) : undefined;
    try {
      if (other) await goTo(other);
      navigate(notice.link);
    } catch (cause) {
      setProblem(cause);
    }
  }
  const fault = problem ?? read.error;
  return (
    <>
      <PageHead title={t("notifications.inbox")}>
        <Switch isSelected={isUnread} onChange={setUnread}>
          {t("notifications.unread")}
        </Switch>
        <Button isPending={read.isPending} onPress={() => read.mutate({ all: true })}>
          {t("notifications.read_all")}
        </Button>
      </PageHead>
      {fault !== null && <ProblemNotice problem={fault} />}
      <RowList
        label={t("notifications.inbox")}
        pages={pages}
        idOf={({ id }) => id}
        onOpen={(notice) => void open(notice)}
        empty={{ text: t(isUnread ? "notifications.empty_unread" : "notifications.empty") }}
        row={(notice) => (
          <>
            <RowTitle>
              <span className={notice.read_at ? undefined : styles.unread}>{notice.text}</span>
            </RowTitle>
            {notice.team && notice.team.id !== team.id && <RowMeta isSecondary>{t("notifications.in_team", { team: notice.team.name })}</RowMeta>}
            <RowMeta>
              <Time at={notice.created_at} />
            </RowMeta>
          </>
        )}
        actions={(notice) =>
          !notice.read_at && (
            <RowAction icon={Check} name={t("notifications.read_one")} of={notice.text} onPress={() => read.mutate({ ids: [notice.id] })} />
          )
        }
      />
      <WhatIHear />
    </>
  );
}
