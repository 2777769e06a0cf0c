import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { EntryPage } from "./EntryPage";
import styles from "./EntryPage.module.css";
import { PasswordField } from "@guildhall/console/ui/PasswordField";

/** The first person of a new instance, who operates it. */
export function SetUp() {
  const { t, locale } = useTexts();
  const { reload } = useInstance();
  const [values, setValues] = useState({ username: "", display_name: "", password: "", org: "", team: "" });
  const [problem, setProblem] = useState<unknown>(null);
  const [pending, setPending] = useState(false);

  async function submit() {
    setPending(true);
    setProblem(null);
    try {
      const { username, password, ...names } = values;
      // What was left empty gets the server's own name.
      const given = Object.fromEntries(Object.entries(names).filter(([, name]) => name.trim()));
      const made = await dataOf(api.POST("/api/bootstrap", { body: { username, password, ...given, locale } }));
      sessions.begin({ token: made.token, expiresAt: made.expires_at, kept: false });
      reload();
    } catch (cause) {
      setProblem(cause);
    } finally {
      setPending(false);
    }
  }

  const fault = (name: string) => (problem instanceof Problem ? problem.at(`/${name}`) : undefined);
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (value: string) => setValues({ ...values, [name]: value }),
    fault: fault(name),
  });
  return (
    <EntryPage title={t("entry.setup_title")} intro={t("entry.setup_intro")}>
      <Form name="set-up" onSubmit={() => void submit()}>
        {problem !== null && <ProblemNotice problem={problem} />}
        <TextField label={t("entry.username")} name="username" autoComplete="username" isRequired autoFocus {...field("username")} />
        <TextField label={t("members.display_name")} name="name" autoComplete="name" help={t("entry.display_name_help")} {...field("display_name")} />
        <PasswordField label={t("entry.password")} kind="new" username={values.username} {...field("password")} />
        <div className={styles.pair}>
          <TextField label={t("entry.company_name")} name="organization" autoComplete="organization" {...field("org")} />
          <TextField label={t("entry.team_name")} name="team" {...field("team")} />
        </div>
        <Button kind="primary" type="submit" isPending={pending}>
          {t("entry.setup_submit")}
        </Button>
      </Form>
    </EntryPage>
  );
}
