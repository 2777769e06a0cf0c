import { Redirect, Route, Switch } from "wouter";

import { useText } from "../../i18n/texts";
import { useInstance } from "../../instance";
import { useIdentity } from "../../session/identity";
import { EmptyState } from "../../ui/EmptyState";
import { SubNavigation } from "../../ui/SubNavigation";
import { Branding } from "./Branding";
import { Companies } from "./Companies";
import { Company } from "./Company";
import { Executors } from "./Executors";
import { McpServers } from "./McpServers";
import { NewCompany } from "./NewCompany";
import { PluginDetail } from "./PluginDetail";
import { Plugins } from "./Plugins";
import { SandboxedPlugins } from "./SandboxedPlugins";
import { Status } from "./Status";

/** The instance as its operator sees it: how it is, who is on it, and what it is made of. */
export default function Instance() {
  const t = useText();
  const { operator } = useIdentity();
  const { config } = useInstance();
  if (!operator) return <EmptyState text={t("error.not_found")} />;
  const tabs = [
    { path: "/instance/status", name: t("nav.status") },
    ...(config.multitenant ? [{ path: "/instance/companies", name: t("nav.companies") }] : []),
    { path: "/instance/branding", name: t("nav.branding") },
    { path: "/instance/executors", name: t("nav.executors") },
    { path: "/instance/plugins", name: t("nav.plugins") },
    { path: "/instance/mcp", name: t("nav.mcp") },
    { path: "/instance/sandboxed", name: t("nav.sandboxed") },
  ];
  return (
    <>
      <SubNavigation label={t("nav.group_instance")} tabs={tabs} />
      <Switch>
        <Route path="/instance/status" component={Status} />
        {config.multitenant && <Route path="/instance/companies" component={Companies} />}
        {config.multitenant && <Route path="/instance/companies/new" component={NewCompany} />}
        {config.multitenant && (
          <Route path="/instance/companies/:ref">{({ ref }) => <Company key={ref} companyRef={ref} />}</Route>
        )}
        <Route path="/instance/branding" component={Branding} />
        <Route path="/instance/executors" component={Executors} />
        <Route path="/instance/plugins" component={Plugins} />
        <Route path="/instance/plugins/:id">{({ id }) => <PluginDetail id={id} />}</Route>
        <Route path="/instance/mcp" component={McpServers} />
        <Route path="/instance/sandboxed" component={SandboxedPlugins} />
        <Route path="/instance">
          <Redirect to="/instance/status" replace />
        </Route>
        <Route>
          <EmptyState text={t("error.not_found")} />
        </Route>
      </Switch>
    </>
  );
}
