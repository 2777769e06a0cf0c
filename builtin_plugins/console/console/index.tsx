import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  home: { component: lazyPart(() => import("./home/Home")), letter: "h" },
  pages: { component: lazyPart(() => import("./pages/PluginPage")) },
  keys: { component: lazyPart(() => import("./keys/Keys")), everywhere: lazyPart(() => import("./keys/ListKeys")) },
  gallery: { component: lazyPart(() => import("./gallery/Gallery")) },
});
