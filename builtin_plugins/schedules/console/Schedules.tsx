import { Route, Switch } from "wouter";

import { useMay } from "@guildhall/console/session/identity";
import { EditSchedule, NewSchedule } from "./ScheduleForm";
import { ScheduleList } from "./ScheduleList";
import { SchedulePage } from "./SchedulePage";

export default function Schedules() {
  const may = useMay();
  return (
    <Switch>
      <Route path="/schedules" component={ScheduleList} />
      {may("workflows:write") && <Route path="/schedules/new" component={NewSchedule} />}
      {may("workflows:write") && (
        <Route path="/schedules/:id/edit">{({ id }) => <EditSchedule key={id} id={id} />}</Route>
      )}
      <Route path="/schedules/:id">{({ id }) => <SchedulePage key={id} id={id} />}</Route>
    </Switch>
  );
}
