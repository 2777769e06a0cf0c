import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

const company = lazyPart(() => import("./Ways").then(({ CompanyWays: component }) => ({ default: component })));
const instance = lazyPart(() => import("./Ways").then(({ InstanceWays: component }) => ({ default: component })));

export default defineScreens({ "company-ways": { component: company }, "instance-ways": { component: instance } });
