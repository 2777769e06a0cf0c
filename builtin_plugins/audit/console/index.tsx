import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  audit: {
    component: lazyPart(() => import("./Audit").then(({ Audit: component }) => ({ default: component }))),
    letter: "a",
    panel: lazyPart(() => import("./Activity").then(({ Activity: component }) => ({ default: component }))),
  },
  "company-audit": { component: lazyPart(() => import("./CompanyAudit").then(({ CompanyAudit: component }) => ({ default: component }))) },
});
