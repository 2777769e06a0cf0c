import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  home: { component: lazyPart(() => import("./home/Home")), letter: "h" },
  pages: { component: lazyPart(() => import("./pages/PluginPage")) },
  gallery: { component: lazyPart(() => import("./gallery/Gallery")) },
});
