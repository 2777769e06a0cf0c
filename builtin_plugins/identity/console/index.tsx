import { UserPlus } from "lucide-react";

import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  members: {
    component: lazyPart(() => import("./team/Members").then(({ Members: component }) => ({ default: component }))),
    letter: "m",
    begin: [
      { name: "home.start_invite", path: "/members", icon: UserPlus, needs: "members:manage", card: { name: "home.start_invite", text: "home.start_invite_text" } },
    ],
  },
  tokens: { component: lazyPart(() => import("./team/Tokens").then(({ Tokens: component }) => ({ default: component }))) },
  account: { component: lazyPart(() => import("./account/Account")) },
});
