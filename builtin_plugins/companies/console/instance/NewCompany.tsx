import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnce } from "@guildhall/console/ui/ShownOnce";
import { TextField } from "@guildhall/console/ui/TextField";
import { activationLink } from "@guildhall/console/people/invitation";
import { newKey } from "@guildhall/console/api/rows";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Instance.module.css";
import { PLANS } from "@guildhall/console/ui/plans";

const EMPTY = { name: "", slug: "", plan: "team", domain: "", team: "", username: "", display_name: "", password: "" };

/** A company with its first team and its first owner, whose way in is shown once. */
export function NewCompany() {
  const t = useText();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(EMPTY);
  const [key] = useState(newKey);
  const create = useMutation({
    mutationFn: () => {
      const { name, plan, slug, domain, team, username, display_name, password } = draft;
      const owner = { username, ...filled({ display_name, password }) };
      const body = { name, plan, owner, ...filled({ slug, domain, team }) };
      return dataOf(api.POST("/api/orgs", { body, headers: { "Idempotency-Key": `${key}-${fingerprint(body)}` } }));
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ["orgs"] }),
  });
  const fault = (pointer: string) => {
    const message = create.error instanceof Problem ? create.error.at(pointer) : undefined;
    return message ? { fault: message } : {};
  };
  const set = (name: keyof typeof EMPTY) => ({ value: draft[name], onChange: (value: string) => setDraft({ ...draft, [name]: value }) });
  if (create.isSuccess) {
    const { org, owner, token } = create.data;
    return (
      <>
        <PageHead title={t("instance.company_made", { name: org.name })} />
        <Panel title={t("instance.company_owner")}>
          {/* A link sets a first password: who was given one needs none. */}
          {draft.password ? (
            <p>{t("instance.company_owner_signs_in", { name: owner.username })}</p>
          ) : (
            <>
              <p>{t("members.first_token", { name: owner.username })}</p>
              <ShownOnce label={t("members.link")} value={activationLink(token)} />
            </>
          )}
          <div>
            <Button kind="primary" onPress={() => navigate(`/instance/companies/${org.slug}`)}>
              {t("instance.company_open")}
            </Button>
          </div>
        </Panel>
      </>
    );
  }
  return (
    <>
      <PageHead title={t("instance.company_new")} text={t("instance.company_new_text")} />
      <Form name="new-company" className={styles.form} onSubmit={() => create.mutate()}>
        {create.isError && <ProblemNotice problem={create.error} />}
        <TextField label={t("entry.company_name")} isRequired autoFocus {...set("name")} {...fault("/name")} />
        <div className={styles.pair}>
          <TextField label={t("instance.company_slug")} help={t("instance.company_slug_help")} {...set("slug")} {...fault("/slug")} />
          <Select
            label={t("instance.company_plan")}
            options={PLANS.map((plan) => ({ id: plan, name: t(`instance.plan_${plan}`) }))}
            {...set("plan")}
            {...fault("/plan")}
          />
        </div>
        <div className={styles.pair}>
          <TextField label={t("instance.company_domain")} help={t("instance.company_domain_help")} {...set("domain")} {...fault("/domain")} />
          <TextField label={t("entry.team_name")} help={t("form.optional")} {...set("team")} {...fault("/team")} />
        </div>
        <Panel title={t("instance.company_owner")}>
          <TextField label={t("entry.username")} isRequired autoComplete="off" {...set("username")} {...fault("/owner/username")} />
          <TextField label={t("members.display_name")} help={t("form.optional")} {...set("display_name")} {...fault("/owner/display_name")} />
          <TextField
            label={t("entry.password")}
            help={t("instance.company_password_help")}
            type="password"
            autoComplete="new-password"
            {...set("password")}
            {...fault("/owner/password")}
          />
        </Panel>
        <div className={cells.line}>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            {t("instance.company_create")}
          </Button>
          <Button kind="quiet" onPress={() => navigate("/instance/companies")}>
            {t("action.cancel")}
          </Button>
        </div>
      </Form>
    </>
  );
}

/** The fields in which something stands. */
function filled<Name extends string>(fields: Record<Name, string>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")) as Partial<Record<Name, string>>;
}

/** Another company is another attempt: the same key with another body would be refused. */
function fingerprint(body: unknown): string {
  const text = JSON.stringify(body);
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum.toString(16);
}
