import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { CompanyDetails } from "./CompanyDetails";
import { CompanyQuotas } from "./CompanyQuotas";
import cells from "@guildhall/console/ui/Cells.module.css";

export type WholeCompany = paths["/api/orgs/{ref}"]["get"]["responses"]["200"]["content"]["application/json"];

/** One company as the operator sees it: its plan, its hostname, its limits, its teams, and whether it may write. */
export function Company({ companyRef }: { companyRef: string }) {
  const t = useText();
  const company = useQuery({
    queryKey: ["org", companyRef],
    queryFn: () => dataOf(api.GET("/api/orgs/{ref}", { params: { path: { ref: companyRef } } })),
  });
  if (company.isPending) return <SkeletonRows />;
  if (company.isLoadingError) return <ProblemNotice problem={company.error} onRetry={() => void company.refetch()} />;
  const { data } = company;
  return (
    <>
      <PageHead title={data.name} text={data.slug}>
        {data.suspended && <StateMark state="suspended" />}
        <Standing company={data} companyRef={companyRef} />
      </PageHead>
      <CompanyDetails company={data} companyRef={companyRef} />
      <CompanyQuotas company={data} companyRef={companyRef} />
      <Panel title={t("nav.teams")}>
        {data.teams.length === 0 ? (
          <EmptyState text={t("contributed.empty")} />
        ) : (
          <Table
            label={t("nav.teams")}
            items={data.teams}
            idOf={(team) => team.id}
            columns={[
              { id: "name", name: t("list.name"), cell: (team) => <span dir="auto">{team.name}</span> },
              { id: "slug", name: t("instance.company_slug"), cell: (team) => <code>{team.slug}</code>, isSecondary: true },
              { id: "created", name: t("list.created"), cell: (team) => <Time at={team.created_at} /> },
            ]}
          />
        )}
      </Panel>
      <p className={cells.muted}>
        <Link href="/instance/companies">{t("nav.companies")}</Link> · {t("list.created")} <Time at={data.created_at} />
      </p>
    </>
  );
}

/** Suspending asks for the name; resuming takes nothing from anybody, and is done at once. */
function Standing({ company, companyRef }: { company: WholeCompany; companyRef: string }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const path = { params: { path: { ref: companyRef } } };
  const settled = (said: string) => {
    announce(said);
    void client.invalidateQueries({ queryKey: ["orgs"] });
    return client.invalidateQueries({ queryKey: ["org", companyRef] });
  };
  const resume = useMutation({
    mutationFn: () => dataOf(api.POST("/api/orgs/{ref}/resume", path)),
    onSuccess: () => settled(t("instance.resumed", { name: company.name })),
  });
  if (company.suspended) {
    return (
      <>
        <Button kind="primary" isPending={resume.isPending} onPress={() => resume.mutate()}>
          {t("instance.resume")}
        </Button>
        {resume.isError && <ProblemNotice problem={resume.error} />}
      </>
    );
  }
  return (
    <>
      <Button onPress={() => setAsks(true)}>
        {t("instance.suspend")}
      </Button>
      {asks && (
        <ConfirmByName
          title={t("instance.suspend")}
          text={t("instance.suspend_confirm", { name: company.name })}
          name={company.name}
          action={t("instance.suspend")}
          isOpen
          onClose={() => setAsks(false)}
          onConfirm={async () => {
            await dataOf(api.POST("/api/orgs/{ref}/suspend", path));
            await settled(t("instance.suspended", { name: company.name }));
          }}
        />
      )}
    </>
  );
}
