import { Redirect, Route, Switch } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { SubNavigation } from "@guildhall/console/ui/SubNavigation";
import { ExperienceScreen } from "./ExperienceScreen";
import { ProspectPage } from "./ProspectPage";
import { Prospects } from "./Prospects";
import { Versions } from "./Versions";

/** The beta program of a team: its sign-up page, and who signed up. */
export default function Beta() {
  const t = useText();
  const tabs = [
    { path: "/beta-program/prospects", name: t("nav.prospects") },
    { path: "/beta-program/page", name: t("nav.funnel") },
    { path: "/beta-program/versions", name: t("files.versions") },
  ];
  return (
    <>
      <SubNavigation label={t("nav.beta")} tabs={tabs} />
      <Switch>
        <Route path="/beta-program/prospects" component={Prospects} />
        <Route path="/beta-program/prospects/:id">{({ id }) => <ProspectPage key={id} id={id} />}</Route>
        <Route path="/beta-program/page" component={ExperienceScreen} />
        <Route path="/beta-program/versions" component={Versions} />
        <Route>
          <Redirect to="/beta-program/prospects" replace />
        </Route>
      </Switch>
    </>
  );
}
