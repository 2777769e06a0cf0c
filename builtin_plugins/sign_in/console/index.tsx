import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

const company = lazyPart(() => import("./Ways").then(({ CompanyWays: component }) => ({ default: component })));
const instance = lazyPart(() => import("./Ways").then(({ InstanceWays: component }) => ({ default: component })));
const companyDomains = lazyPart(() => import("./CompanyDomains"));
const instanceDomains = lazyPart(() => import("./InstanceDomains"));

export default defineScreens({
  "company-ways": { component: company },
  "instance-ways": { component: instance },
  "company-domains": { component: companyDomains },
  "instance-domains": { component: instanceDomains },
});
