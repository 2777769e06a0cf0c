import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { invitedBy } from "@guildhall/console/people/invitation";
import { sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import type { Arrival } from "./arrival";
import { EntryPage } from "./EntryPage";

/** Begins the session that somebody came back with; one that did not go away from here is asked whether it is theirs. */
export function Arrived({ arrival, onDone }: { arrival: Arrival; onDone: () => void }) {
  const t = useText();
  const [, navigate] = useLocation();
  const token = arrival.token ?? "";
  const who = useQuery({ queryKey: ["arrived", token], queryFn: () => invitedBy(token), staleTime: Infinity });
  const begin = () => {
    sessions.begin({ token, expiresAt: null, kept: false });
    navigate("/", { replace: true });
    onDone();
  };
  const isThere = who.data !== null && who.data !== undefined;
  const ended = who.data === null;
  useEffect(() => {
    if (isThere && arrival.isOwn) begin();
    if (ended) onDone();
  }, [isThere, ended]);
  if (who.isError) {
    return (
      <EntryPage title={t("entry.sign_in")}>
        <ProblemNotice problem={who.error} onRetry={() => void who.refetch()} />
      </EntryPage>
    );
  }
  if (!isThere || arrival.isOwn) return null;
  const name = who.data?.user.display_name || who.data?.user.username || "";
  return (
    <EntryPage title={t("signin.go_on_title")} intro={t("signin.go_on_text", { name })}>
      <Button kind="primary" onPress={begin}>
        {t("signin.go_on", { name })}
      </Button>
      <Button kind="quiet" onPress={onDone}>
        {t("action.cancel")}
      </Button>
    </EntryPage>
  );
}
