import { Route, Switch } from "wouter";

import { PluginDetail } from "./PluginDetail";
import { Plugins } from "./Plugins";

export default function PluginScreens() {
  return (
    <Switch>
      <Route path="/instance/plugins" component={Plugins} />
      <Route path="/instance/plugins/:id">{({ id }) => <PluginDetail id={id} />}</Route>
    </Switch>
  );
}
