import { Redirect, Route, Switch } from "wouter";

import { useText } from "../../i18n/texts";
import { useIdentity, useMay } from "../../session/identity";
import { PageHead } from "../../ui/PageHead";
import { SubNavigation } from "../../ui/SubNavigation";
import { Branding } from "./Branding";
import { CompanyAudit } from "./CompanyAudit";
import { CompanyUsage } from "./CompanyUsage";
import { Executors } from "./Executors";
import { People } from "./People";
import { Teams } from "./Teams";

/** The company: everybody with a role in it reads it; who does not manage it is offered nothing to change. */
export default function Company() {
  const t = useText();
  const may = useMay();
  const { org } = useIdentity();
  const tabs = [
    { path: "/company/teams", name: t("nav.teams") },
    { path: "/company/people", name: t("nav.people") },
    { path: "/company/branding", name: t("nav.branding") },
    { path: "/company/executors", name: t("nav.executors") },
    { path: "/company/usage", name: t("nav.usage") },
    { path: "/company/audit", name: t("nav.audit") },
  ];
  return (
    <>
      <PageHead title={org.name} text={may("org:manage") ? undefined : t("company.read_only")} />
      <SubNavigation label={t("nav.group_company")} tabs={tabs} />
      <Switch>
        <Route path="/company/teams" component={Teams} />
        <Route path="/company/people" component={People} />
        <Route path="/company/branding" component={Branding} />
        <Route path="/company/executors" component={Executors} />
        <Route path="/company/usage" component={CompanyUsage} />
        <Route path="/company/audit" component={CompanyAudit} />
        <Route>
          <Redirect to="/company/teams" replace />
        </Route>
      </Switch>
    </>
  );
}
