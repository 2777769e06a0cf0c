/** Signing in by a link of `/login#token=…`: it works once, as its session is ended for one of this page's own. */

import { useMutation } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { isReturn } from "@guildhall/console/session/departure";
import { useIdentityQuery, type Identity } from "@guildhall/console/session/identity";
import { revoke, sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { EntryPage } from "./EntryPage";
import styles from "./EntryPage.module.css";
import { invitedBy, takeOver } from "./invitation";

type Page = ComponentType<{ onDone: () => void }>;

/** Whoever comes back from where this tab sent them is in; of any other link the page is returned that asks first. */
export default async function signInByLink(token: string): Promise<Page | null> {
  // The token leaves the address before anything else could read it there.
  history.replaceState(null, "", "/login");
  if (await isReturn(token)) {
    const session = await takeOver(token).catch(() => null);
    history.replaceState(null, "", session ? "/" : "/activate");
    if (session) sessions.begin(session);
    return null;
  }
  const who = await invitedBy(token).catch(() => null);
  if (who) return ({ onDone }) => <ConfirmLink token={token} who={who} onDone={onDone} />;
  history.replaceState(null, "", "/activate");
  return null;
}

const nameOf = ({ user }: Identity) => user.display_name || user.username;

/** Anybody can send a link into their own account: it says into whose, and nobody is in before they say so. */
function ConfirmLink({ token, who, onDone }: { token: string; who: Identity; onDone: () => void }) {
  const t = useText();
  const [, navigate] = useLocation();
  const here = useIdentityQuery().data;
  const leave = (path: string) => (navigate(path, { replace: true }), onDone());
  const goOn = useMutation({
    mutationFn: () => takeOver(token),
    onSuccess: (session) => {
      if (session) sessions.begin(session);
      leave(session ? "/" : "/activate");
    },
  });
  const stay = useMutation({ mutationFn: () => revoke([token]), onSettled: () => leave(here ? "/" : "/login") });
  const names = { name: nameOf(who), username: who.user.username, company: who.org.name };
  return (
    <EntryPage title={t("entry.link_title")} intro={t("entry.link_intro", names)}>
      <div className={styles.choice}>
        {goOn.isError && <ProblemNotice problem={goOn.error} />}
        {here && <p role="status">{t("entry.link_replaces", { name: nameOf(here), company: here.org.name })}</p>}
        <p>{t("entry.link_warning")}</p>
        <Button kind="primary" isPending={goOn.isPending} onPress={() => goOn.mutate()}>
          {t("entry.link_continue", names)}
        </Button>
        <Button isPending={stay.isPending} onPress={() => stay.mutate()}>
          {here ? t("entry.link_stay", { name: nameOf(here) }) : t("entry.link_leave")}
        </Button>
      </div>
    </EntryPage>
  );
}
