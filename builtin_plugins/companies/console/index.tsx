import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  company: {
    component: lazyPart(() => import("./company/Company")),
    letter: "o",
    isFor: ({ identity }) => identity.org_role !== null,
  },
  teams: { component: lazyPart(() => import("./company/Teams").then(({ Teams: component }) => ({ default: component }))) },
  people: { component: lazyPart(() => import("./company/People").then(({ People: component }) => ({ default: component }))) },
  companies: {
    component: lazyPart(() => import("./instance/CompanyScreens")),
    isFor: ({ instance }) => instance.config.multitenant,
  },
});
