import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  "company-branding": { component: lazyPart(() => import("./company/Branding").then(({ Branding: component }) => ({ default: component }))) },
  "instance-branding": { component: lazyPart(() => import("./instance/Branding").then(({ Branding: component }) => ({ default: component }))) },
});
