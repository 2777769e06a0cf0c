import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  jobs: { component: lazyPart(() => import("./Jobs").then(({ Jobs: component }) => ({ default: component }))), letter: "j" },
});
