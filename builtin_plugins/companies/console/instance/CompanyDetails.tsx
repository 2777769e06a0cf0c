import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import type { WholeCompany } from "./Company";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Instance.module.css";
import { PLANS } from "@guildhall/console/ui/plans";

/** The name, plan and hostname of a company; what was not touched is not sent, so that a plan is set on purpose. */
export function CompanyDetails({ company, companyRef }: { company: WholeCompany; companyRef: string }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState(company.name);
  const [plan, setPlan] = useState(company.plan);
  const [domain, setDomain] = useState(company.domain ?? "");
  const change = {
    ...(name !== company.name && { name }),
    ...(plan !== company.plan && { plan }),
    ...(domain !== (company.domain ?? "") && { domain: domain || null }),
  };
  const save = useMutation({
    mutationFn: () => dataOf(api.PATCH("/api/orgs/{ref}", { params: { path: { ref: companyRef } }, body: change })),
    onSuccess: async (saved) => {
      announce(t("state.saved"));
      void client.invalidateQueries({ queryKey: ["orgs"] });
      await client.invalidateQueries({ queryKey: ["org", companyRef] });
      if (companyRef !== saved.slug && companyRef !== saved.id) navigate(`/instance/companies/${saved.slug}`, { replace: true });
    },
  });
  const fault = (pointer: string) => {
    const message = save.error instanceof Problem ? save.error.at(pointer) : undefined;
    return message ? { fault: message } : {};
  };
  const plans = PLANS.map((one) => ({ id: one as string, name: t(`instance.plan_${one}`) }));
  return (
    <Panel title={t("instance.details")}>
      <Form
        name="company-details"
        className={styles.form}
        onSubmit={() => {
          if (Object.keys(change).length > 0) save.mutate();
        }}
      >
        {save.isError && <ProblemNotice problem={save.error} />}
        <TextField label={t("entry.company_name")} isRequired value={name} onChange={setName} {...fault("/name")} />
        <div className={styles.pair}>
          <Select
            label={t("instance.company_plan")}
            options={plans.some(({ id }) => id === plan) ? plans : [...plans, { id: plan, name: plan }]}
            value={plan}
            onChange={setPlan}
            {...fault("/plan")}
          />
          <TextField label={t("instance.company_domain")} help={t("instance.company_domain_help")} value={domain} onChange={setDomain} {...fault("/domain")} />
        </div>
        {plan !== company.plan && <p className={cells.muted}>{t("instance.plan_resets")}</p>}
        <div>
          <Button type="submit" isDisabled={Object.keys(change).length === 0} isPending={save.isPending}>
            {t("action.save_changes")}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}
