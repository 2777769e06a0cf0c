import { Route, Switch } from "wouter";

import { Companies } from "./Companies";
import { Company } from "./Company";
import { NewCompany } from "./NewCompany";

export default function CompanyScreens() {
  return (
    <Switch>
      <Route path="/instance/companies" component={Companies} />
      <Route path="/instance/companies/new" component={NewCompany} />
      <Route path="/instance/companies/:ref">{({ ref }) => <Company key={ref} companyRef={ref} />}</Route>
    </Switch>
  );
}
