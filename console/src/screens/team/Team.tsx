import { Route, Switch } from "wouter";

import { Audit } from "./Audit";
import { Features } from "./Features";
import { Jobs } from "./Jobs";
import { Members } from "./Members";
import { S3Keys } from "./S3Keys";
import { Settings } from "./Settings";
import { Tokens } from "./Tokens";
import { Tools } from "./Tools";
import { lazyPart } from "../../ui/lazyPart";

const Usage = lazyPart(() => import("./Usage"));

/** The screens of a team, each at an address of its own. */
export default function Team() {
  return (
    <Switch>
      <Route path="/members" component={Members} />
      <Route path="/tokens" component={Tokens} />
      <Route path="/s3-keys" component={S3Keys} />
      <Route path="/features" component={Features} />
      <Route path="/tools" component={Tools} />
      <Route path="/usage" component={Usage} />
      <Route path="/jobs/:id?" component={Jobs} />
      <Route path="/audit" component={Audit} />
      <Route path="/team" component={Settings} />
    </Switch>
  );
}
