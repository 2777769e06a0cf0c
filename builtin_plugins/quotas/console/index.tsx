import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  usage: {
    component: lazyPart(() => import("./Usage")),
    letter: "u",
    waiting: () => import("./useTightLimits"),
  },
  "company-usage": { component: lazyPart(() => import("./CompanyUsage").then(({ CompanyUsage: component }) => ({ default: component }))) },
});
