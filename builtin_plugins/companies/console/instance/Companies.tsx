import { Plus } from "lucide-react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { DemoCompanies } from "./DemoCompanies";
import styles from "./Instance.module.css";

/** Every company of the instance. */
export function Companies() {
  const t = useText();
  const [, navigate] = useLocation();
  const companies = usePages(["orgs"], (cursor) => dataOf(api.GET("/api/orgs", { params: { query: cursor } })));
  const create = (
    <Button kind="primary" onPress={() => navigate("/instance/companies/new")}>
      <Plus size={16} />
      {t("instance.company_new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.companies")}>
        <DemoCompanies />
        {create}
      </PageHead>
      <RowList
        label={t("nav.companies")}
        pages={companies}
        idOf={(company) => company.id}
        onOpen={(company) => navigate(`/instance/companies/${company.slug}`)}
        empty={{ text: t("instance.companies_empty"), action: create }}
        row={(company) => (
          <>
            <RowTitle>{company.name}</RowTitle>
            {company.suspended && <StateMark state="suspended" />}
            <RowMeta isSecondary>{company.domain ?? company.slug}</RowMeta>
            <RowMeta>
              <span className={styles.plan}>{company.plan}</span>
            </RowMeta>
            <RowMeta isSecondary>
              <span className={styles.since}>
                <Time at={company.created_at} />
              </span>
            </RowMeta>
          </>
        )}
      />
    </>
  );
}
