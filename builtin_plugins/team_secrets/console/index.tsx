import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  "team-secrets": { component: lazyPart(() => import("./TeamSecrets").then(({ TeamSecrets: component }) => ({ default: component }))) },
});
