import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  approvals: {
    component: lazyPart(() => import("./approvals/Approvals")),
    waiting: () => import("./approvals/useWaitingApprovals"),
  },
  workflows: { component: lazyPart(() => import("./workflows/Workflows")), letter: "w" },
  runs: {
    component: lazyPart(() => import("./runs/Runs")),
    letter: "r",
    waiting: () => import("./runs/useFailedRuns"),
  },
});
