import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  "company-executors": { component: lazyPart(() => import("./company/Executors").then(({ Executors: component }) => ({ default: component }))) },
  "instance-executors": { component: lazyPart(() => import("./instance/Executors").then(({ Executors: component }) => ({ default: component }))) },
});
