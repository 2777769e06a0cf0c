import { NotebookPen } from "lucide-react";

import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  notes: {
    component: lazyPart(() => import("./Notes")),
    letter: "n",
    begin: [
      { name: "notes.new", path: "/notes/new", icon: NotebookPen, needs: "notes:write", card: { name: "home.start_note", text: "home.start_note_text" } },
    ],
    recent: () => import("./recentNotes"),
    waiting: () => import("./sharedNotes"),
  },
});
