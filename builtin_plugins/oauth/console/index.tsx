import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  consent: { component: lazyPart(() => import("./Consent")) },
  "connected-apps": { component: lazyPart(() => import("./ConnectedApps")) },
});
