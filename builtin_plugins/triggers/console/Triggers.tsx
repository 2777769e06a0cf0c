import { Route, Switch } from "wouter";

import { useMay } from "@guildhall/console/session/identity";
import { EditTrigger, NewTrigger } from "./TriggerForm";
import { TriggerList } from "./TriggerList";
import { TriggerPage } from "./TriggerPage";

export default function Triggers() {
  const may = useMay();
  return (
    <Switch>
      <Route path="/triggers" component={TriggerList} />
      {may("workflows:write") && <Route path="/triggers/new" component={NewTrigger} />}
      {may("workflows:write") && (
        <Route path="/triggers/:id/edit">{({ id }) => <EditTrigger key={id} id={id} />}</Route>
      )}
      <Route path="/triggers/:id">{({ id }) => <TriggerPage key={id} id={id} />}</Route>
    </Switch>
  );
}
