import { Redirect, Route, Switch, useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { isWithin, screenAt, useScreens } from "@guildhall/console/screens/shown";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { SubNavigation } from "@guildhall/console/ui/SubNavigation";
import { Profile } from "./Profile";
import { Security } from "./Security";
import { Sessions } from "./Sessions";

const HERE = "/account";

/** What belongs to the person, whatever team they are in; screens of other plugins below it are tabs, too. */
export default function Account() {
  const t = useText();
  const [address] = useLocation();
  const others = useScreens().shown.filter(({ path }) => path !== HERE && isWithin(path, HERE));
  const other = screenAt(others, address);
  const tabs = [
    { path: "/account/profile", name: t("account.profile") },
    { path: "/account/security", name: t("account.security") },
    { path: "/account/sessions", name: t("account.sessions") },
    ...others.map(({ path, title }) => ({ path, name: title })),
  ];
  return (
    <>
      <PageHead title={t("nav.account")} />
      <SubNavigation label={t("nav.account")} tabs={tabs} />
      <Switch>
        <Route path="/account/profile" component={Profile} />
        <Route path="/account/security" component={Security} />
        <Route path="/account/sessions" component={Sessions} />
        <Route>{other ? <other.Component key={other.path} /> : <Redirect to="/account/profile" replace />}</Route>
      </Switch>
    </>
  );
}
