import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  connect: { component: lazyPart(() => import("./Connect").then(({ Connect: component }) => ({ default: component }))) },
});
