import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { PasswordField } from "@guildhall/console/ui/PasswordField";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { EntryPage } from "./EntryPage";
import styles from "./EntryPage.module.css";

/** The first person of a new instance, who operates it. */
export default function SetUp() {
  const { t, locale } = useTexts();
  const { reload } = useInstance();
  const [values, setValues] = useState({ username: "", display_name: "", password: "", org: "", team: "" });
  const setUp = useMutation({
    mutationFn: () => {
      const { username, password, ...names } = values;
      // What was left empty gets the server's own name.
      const given = Object.fromEntries(Object.entries(names).filter(([, name]) => name.trim()));
      return dataOf(api.POST("/api/bootstrap", { body: { username, password, ...given, locale } }));
    },
    onSuccess: (made) => {
      sessions.begin({ token: made.token, expiresAt: made.expires_at, kept: false });
      reload();
    },
  });

  const fault = (name: string) => (setUp.error instanceof Problem ? setUp.error.at(`/${name}`) : undefined);
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (value: string) => setValues({ ...values, [name]: value }),
    fault: fault(name),
  });
  return (
    <EntryPage title={t("entry.setup_title")} intro={t("entry.setup_intro")}>
      <Form name="set-up" onSubmit={() => setUp.mutate()}>
        {setUp.isError && <ProblemNotice problem={setUp.error} />}
        <TextField label={t("entry.username")} name="username" autoComplete="username" isRequired autoFocus {...field("username")} />
        <TextField label={t("members.display_name")} name="name" autoComplete="name" help={t("entry.display_name_help")} {...field("display_name")} />
        <PasswordField label={t("entry.password")} kind="new" username={values.username} {...field("password")} />
        <div className={styles.pair}>
          <TextField label={t("entry.company_name")} name="organization" autoComplete="organization" {...field("org")} />
          <TextField label={t("entry.team_name")} name="team" {...field("team")} />
        </div>
        <Button kind="primary" type="submit" isPending={setUp.isPending}>
          {t("entry.setup_submit")}
        </Button>
      </Form>
    </EntryPage>
  );
}
