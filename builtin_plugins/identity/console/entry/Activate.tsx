import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { Problem } from "@guildhall/console/api/problem";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useIdentityQuery, useSession } from "@guildhall/console/session/identity";
import { sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { PasswordField } from "@guildhall/console/ui/PasswordField";
import { EntryPage } from "./EntryPage";
import { acceptInvitation, activate, invitedBy, isFirstSession, isSpent, keepLanguage } from "./invitation";

/** Sets a password, the first or one anew, with the token of the fragment, which never reaches a log. */
export default function Activate() {
  const { t, locale } = useTexts();
  const [, navigate] = useLocation();
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  const [password, setPassword] = useState("");
  const isColleague = isFirstSession(token);
  const invited = useQuery({ queryKey: ["invited", token], queryFn: () => invitedBy(token), enabled: isColleague, staleTime: Infinity });
  const who = invited.data ?? null;

  const activation = useMutation({
    mutationFn: async () => {
      const session = who ? await acceptInvitation(token, who.user.username, password) : await activate(token, password);
      if (session === null) return navigate("/login", { replace: true });
      await keepLanguage(session, locale);
      sessions.begin(session);
      navigate("/", { replace: true });
    },
  });
  const problem = activation.error;

  if (isColleague && invited.isPending) return null;
  if (!token || isSpent(problem) || (isColleague && invited.isSuccess && !who)) return <SpentLink />;
  const fault = problem instanceof Problem ? (problem.at("/password") ?? problem.at("/new_password")) : undefined;
  return (
    <EntryPage
      title={t("entry.activate_title")}
      intro={who ? t("entry.invited_intro", { name: who.user.display_name || who.user.username, team: who.team.name, username: who.user.username }) : t("entry.activate_intro")}
    >
      <Form name="activate" onSubmit={() => activation.mutate()}>
        <SignedInHere />
        {invited.isError && <ProblemNotice problem={invited.error} onRetry={() => void invited.refetch()} />}
        {problem !== null && <ProblemNotice problem={problem} />}
        {/* For password managers, which keep it under this name. */}
        {who && <input type="text" name="username" autoComplete="username" value={who.user.username} readOnly hidden />}
        <PasswordField label={t("entry.new_password")} kind="new" username={who?.user.username} value={password} onChange={setPassword} fault={fault} autoFocus />
        <Button kind="primary" type="submit" isPending={activation.isPending}>
          {t("entry.activate_submit")}
        </Button>
      </Form>
    </EntryPage>
  );
}

/** Somebody is signed in here already: who sets a password takes their place, also where they were to stay. */
function SignedInHere() {
  const t = useText();
  const kept = useSession()?.kept;
  const { data } = useIdentityQuery();
  if (!data) return null;
  const name = data.user.display_name || data.user.username;
  return <p role="status">{t(kept ? "entry.replaces_kept" : "entry.replaces", { name })}</p>;
}

function SpentLink() {
  const t = useText();
  const [, navigate] = useLocation();
  return (
    <EntryPage title={t("entry.link_spent_title")} intro={t("entry.link_spent_help")}>
      <Button onPress={() => navigate("/login", { replace: true })}>{t("entry.sign_in")}</Button>
    </EntryPage>
  );
}
