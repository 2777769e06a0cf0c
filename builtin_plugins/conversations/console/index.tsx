import { MessageSquarePlus } from "lucide-react";

import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  chat: {
    component: lazyPart(() => import("./Chat")),
    letter: "c",
    begin: [{ name: "palette.new_chat", path: "/chat", icon: MessageSquarePlus, needs: "chat:use" }],
  },
});
