import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  schedules: { component: lazyPart(() => import("./Schedules")), letter: "d" },
});
