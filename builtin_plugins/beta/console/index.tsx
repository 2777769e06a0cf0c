import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  "beta-program": { component: lazyPart(() => import("./Beta")) },
});
