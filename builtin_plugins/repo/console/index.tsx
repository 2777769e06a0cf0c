import { FolderUp } from "lucide-react";

import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  files: {
    component: lazyPart(() => import("./Files")),
    letter: "f",
    begin: [
      { name: "home.start_file", path: "/files", icon: FolderUp, needs: "files:write", card: { name: "home.start_file", text: "home.start_file_text" } },
    ],
    recent: () => import("./useRecentFiles"),
    waiting: () => import("./sharedFiles"),
  },
});
