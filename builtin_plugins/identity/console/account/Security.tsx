import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { PasswordField } from "@guildhall/console/ui/PasswordField";
import styles from "./Account.module.css";
import { TwoFactor } from "./TwoFactor";

export function Security() {
  return (
    <>
      <ChangePassword />
      <TwoFactor />
    </>
  );
}

function ChangePassword() {
  const t = useText();
  const announce = useAnnounce();
  const { user } = useIdentity();
  const [current, setCurrent] = useState("");
  const [fresh, setFresh] = useState("");
  const change = useMutation({
    mutationFn: () => dataOf(api.POST("/api/password", { body: { current_password: current, new_password: fresh } })),
    onSuccess: () => {
      setCurrent("");
      setFresh("");
      announce(t("account.password_changed"));
    },
  });
  const problem = change.error;
  const fault = (name: string) => (problem instanceof Problem ? problem.at(`/${name}`) : undefined);
  const isWrong = problem instanceof Problem && problem.code === "wrong_password";
  return (
    <Panel title={t("entry.password")}>
      <p className={styles.note}>{t("account.password_help")}</p>
      <Form name="change-password" className={styles.form} onSubmit={() => change.mutate()}>
        {problem !== null && !isWrong && <ProblemNotice problem={problem} />}
        <PasswordField
          label={t("account.current_password")}
          kind="current"
          value={current}
          onChange={setCurrent}
          fault={isWrong ? t("error.wrong_password") : fault("current_password")}
        />
        <PasswordField label={t("entry.new_password")} kind="new" username={user.username} value={fresh} onChange={setFresh} fault={fault("new_password")} />
        <Button type="submit" isPending={change.isPending}>
          {t("account.change_password")}
        </Button>
      </Form>
    </Panel>
  );
}
