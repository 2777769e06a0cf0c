import { Route, Switch } from "wouter";

import { RunList } from "./RunList";
import { RunPage } from "./RunPage";

export default function Runs() {
  return (
    <Switch>
      <Route path="/runs" component={RunList} />
      <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
    </Switch>
  );
}
