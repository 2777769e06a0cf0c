import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  localize: {
    component: lazyPart(() => import("./Localize")),
    letter: "l",
    waiting: () => import("./reviewsWaiting"),
  },
});
