import { Route, Switch } from "wouter";

import { Gate } from "../../frame/Gate";
import { RunList } from "./RunList";
import { RunPage } from "./RunPage";

export default function Runs() {
  return (
    <Gate path="/runs" permission="workflows:read" feature="nav.workflows">
      <Switch>
        <Route path="/runs" component={RunList} />
        <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
      </Switch>
    </Gate>
  );
}
