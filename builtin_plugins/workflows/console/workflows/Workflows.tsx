import { Redirect, Route, Switch } from "wouter";

import { useMay } from "@guildhall/console/session/identity";
import { NewWorkflow, WorkflowEdit } from "./WorkflowEdit";
import { WorkflowList } from "./WorkflowList";
import { WorkflowPage } from "./WorkflowPage";
import { WorkflowRun } from "./WorkflowRun";

export default function Workflows() {
  const may = useMay();
  return (
    <Switch>
      <Route path="/workflows" component={WorkflowList} />
      {may("workflows:write") && <Route path="/workflows/new" component={NewWorkflow} />}
      {may("workflows:write") && (
        <Route path="/workflows/:slug/edit">{({ slug }) => <WorkflowEdit key={slug} slug={slug} />}</Route>
      )}
      {may("workflows:run") && (
        <Route path="/workflows/:slug/run">{({ slug }) => <WorkflowRun key={slug} slug={slug} />}</Route>
      )}
      <Route path="/workflows/:slug/:part">{({ slug, part }) => <WorkflowPage slug={slug} part={part} />}</Route>
      <Route path="/workflows/:slug">{({ slug }) => <Redirect to={`/workflows/${slug}/steps`} replace />}</Route>
    </Switch>
  );
}
