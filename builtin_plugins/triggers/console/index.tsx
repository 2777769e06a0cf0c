import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  triggers: { component: lazyPart(() => import("./Triggers")), letter: "e" },
});
