import { Redirect, Route, Switch } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { SubNavigation } from "@guildhall/console/ui/SubNavigation";
import { Profile } from "./Profile";
import { Security } from "./Security";
import { Sessions } from "./Sessions";

/** What belongs to the person, whatever team they are in. */
export default function Account() {
  const t = useText();
  const tabs = [
    { path: "/account/profile", name: t("account.profile") },
    { path: "/account/security", name: t("account.security") },
    { path: "/account/sessions", name: t("account.sessions") },
  ];
  return (
    <>
      <PageHead title={t("nav.account")} />
      <SubNavigation label={t("nav.account")} tabs={tabs} />
      <Switch>
        <Route path="/account/profile" component={Profile} />
        <Route path="/account/security" component={Security} />
        <Route path="/account/sessions" component={Sessions} />
        <Route>
          <Redirect to="/account/profile" replace />
        </Route>
      </Switch>
    </>
  );
}
