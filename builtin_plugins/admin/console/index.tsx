import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  features: { component: lazyPart(() => import("./team/Features").then(({ Features: component }) => ({ default: component }))) },
  team: { component: lazyPart(() => import("./team/Settings").then(({ Settings: component }) => ({ default: component }))), letter: "s" },
  instance: { component: lazyPart(() => import("./instance/Instance")), letter: "i" },
  status: { component: lazyPart(() => import("./instance/Status").then(({ Status: component }) => ({ default: component }))) },
  plugins: { component: lazyPart(() => import("./instance/PluginScreens")) },
});
