import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  sandboxed: { component: lazyPart(() => import("./SandboxedPlugins").then(({ SandboxedPlugins: component }) => ({ default: component }))) },
});
