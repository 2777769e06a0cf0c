import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./Account.module.css";

interface Own {
  email: string | null;
  email_pending: string | null;
}

const KEY = ["profile"];

/** Where one is written to; where mail is set up, a new address holds once its link was opened. */
export function EmailAddress() {
  const t = useText();
  const own = useQuery({ queryKey: KEY, queryFn: async () => (await callRow({ method: "GET", path: "/api/profile" })) as Own });
  const confirm = useConfirmation();
  return (
    <Panel title={t("account.email")}>
      {confirm.isError && <ProblemNotice problem={confirm.error} />}
      {own.isPending ? (
        <SkeletonRows count={1} />
      ) : own.isLoadingError ? (
        <ProblemNotice problem={own.error} onRetry={() => void own.refetch()} />
      ) : (
        <Fields key={own.data.email ?? ""} own={own.data} />
      )}
    </Panel>
  );
}

/** Sends back the token of a link that was mailed; it stands behind the #, which no server is sent. */
function useConfirmation() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("confirm"));
  const isSent = useRef(false);
  const confirm = useMutation({
    mutationFn: async () => (await callRow({ method: "POST", path: "/api/email/confirm", body: { token } })) as { email: string },
    onSuccess: ({ email }) => announce(t("account.email_confirmed", { address: email })),
    onSettled: () => {
      navigate(location.pathname, { replace: true });
      void client.invalidateQueries({ queryKey: KEY });
    },
  });
  const { mutate } = confirm;
  useEffect(() => {
    if (!token || isSent.current) return;
    isSent.current = true;
    mutate();
  }, [token, mutate]);
  return confirm;
}

function Fields({ own }: { own: Own }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [email, setEmail] = useState(own.email ?? "");
  const save = useMutation({
    mutationFn: () => callRow({ method: "POST", path: "/api/profile", body: { email: email.trim() || null } }),
    onSuccess: (after) => {
      client.setQueryData(KEY, after);
      announce(t("state.saved"));
    },
  });
  const problem = save.error instanceof Problem ? save.error : null;
  return (
    <Form name="email" className={styles.form} onSubmit={() => save.mutate()}>
      {save.isError && <ProblemNotice problem={save.error} />}
      <TextField label={t("account.email")} help={t("account.email_help")} autoComplete="email" value={email} onChange={setEmail} fault={problem?.at("/email")} />
      {own.email_pending && <p role="status">{t("account.email_pending", { address: own.email_pending })}</p>}
      <Button type="submit" isPending={save.isPending} isDisabled={email.trim() === (own.email ?? "")}>
        {t("action.save")}
      </Button>
    </Form>
  );
}
