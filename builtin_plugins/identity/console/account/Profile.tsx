import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { setPreference, usePreference, type Density, type Mode } from "@guildhall/console/theme/preferences";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useLanguages } from "@guildhall/console/i18n/languages";
import styles from "./Account.module.css";
import { EmailAddress } from "./EmailAddress";

export function Profile() {
  return (
    <>
      <Person />
      <EmailAddress />
      <Look />
    </>
  );
}

function Person() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { user, org, org_role, team, teams, operator } = useIdentity();
  const [name, setName] = useState(user.display_name);
  const save = useMutation({
    mutationFn: () => dataOf(api.POST("/api/profile", { body: { display_name: name } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["whoami"] });
      announce(t("state.saved"));
    },
  });
  const roles = [t(`role.${team.role}`), org_role && t(`role.${org_role}`), operator && t("role.operator")];
  return (
    <Panel title={t("account.profile")}>
      <Facts
        facts={[
          [t("entry.username"), user.username],
          [t("nav.group_company"), org.name],
          [t("nav.teams"), teams.map((one) => one.name).join(", ")],
          [t("members.role"), roles.filter(Boolean).join(", ")],
        ]}
      />
      <Form name="profile" className={styles.form} onSubmit={() => save.mutate()}>
        {save.isError && <ProblemNotice problem={save.error} />}
        <TextField
          label={t("members.display_name")}
          autoComplete="name"
          isRequired
          value={name}
          onChange={setName}
          fault={save.error instanceof Problem ? save.error.at("/display_name") : undefined}
        />
        <Button type="submit" isPending={save.isPending} isDisabled={name === user.display_name}>
          {t("action.save")}
        </Button>
      </Form>
    </Panel>
  );
}

/** What is chosen here holds at once; all but the language stays on this device. */
function Look() {
  const t = useText();
  const languages = useLanguages();
  const client = useQueryClient();
  const mode = usePreference("mode");
  const density = usePreference("density");
  const remember = useMutation({
    mutationFn: (locale: string) => dataOf(api.POST("/api/profile", { body: { locale } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ["whoami"] }),
  });
  return (
    <Panel title={t("account.look")}>
      <div className={styles.form}>
        {remember.isError && <ProblemNotice problem={remember.error} />}
        {languages.options.length > 0 ? (
          <Select
            label={t("account.language")}
            options={languages.options}
            value={languages.locale}
            onChange={(code) => {
              languages.choose(code);
              remember.mutate(code);
            }}
          />
        ) : (
          <p className={styles.note}>{t("account.language_fixed")}</p>
        )}
        <Select
          label={t("account.theme")}
          options={(["system", "light", "dark"] as const).map((id) => ({ id, name: t(`account.theme_${id}`) }))}
          value={mode}
          onChange={(value) => setPreference("mode", value as Mode)}
        />
        <Select
          label={t("account.density")}
          options={(["comfortable", "dense"] as const).map((id) => ({ id, name: t(`account.${id}`) }))}
          value={density}
          onChange={(value) => setPreference("density", value as Density)}
        />
        <p className={styles.note}>{t("account.look_help")}</p>
      </div>
    </Panel>
  );
}
