import { Route, Switch } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Incoming } from "./Incoming";
import { IncomingPage } from "./IncomingPage";
import { Outgoing } from "./Outgoing";
import { OutgoingPage } from "./OutgoingPage";

/** Events that are sent, and messages that start workflows; each address has a page with its deliveries. */
export default function Webhooks() {
  return (
    <Switch>
      <Route path="/webhooks" component={Both} />
      <Route path="/webhooks/out/:id">{({ id }) => <OutgoingPage key={id} id={id} />}</Route>
      <Route path="/webhooks/in/:id">{({ id }) => <IncomingPage key={id} id={id} />}</Route>
    </Switch>
  );
}

function Both() {
  const t = useText();
  return (
    <>
      <PageHead title={t("nav.webhooks")} text={t("plugins.about_webhooks")} />
      <Outgoing />
      <Incoming />
    </>
  );
}
