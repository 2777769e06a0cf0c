import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  translate: { component: lazyPart(() => import("./translate/Translate")), letter: "t" },
  glossary: { component: lazyPart(() => import("./glossary/Glossary")), letter: "y" },
});
