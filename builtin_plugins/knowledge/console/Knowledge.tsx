import { Route, Switch } from "wouter";

import { EntityPage } from "./EntityPage";
import { Explorer } from "./Explorer";

/** Who and what the documents speak of: search first, then one of them with its neighbourhood. */
export default function Knowledge() {
  return (
    <Switch>
      <Route path="/knowledge/:id">{({ id }) => <EntityPage key={id} id={id} />}</Route>
      <Route component={Explorer} />
    </Switch>
  );
}
