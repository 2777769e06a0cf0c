import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  inbox: {
    component: lazyPart(() => import("./Inbox")),
    letter: "b",
    top: lazyPart(() => import("./Bell")),
  },
});
