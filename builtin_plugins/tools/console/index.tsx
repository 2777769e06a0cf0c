import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  tools: { component: lazyPart(() => import("./Tools").then(({ Tools: component }) => ({ default: component }))) },
});
