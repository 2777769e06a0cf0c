import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  "company-export": { component: lazyPart(() => import("./CompanyExport")) },
  backups: { component: lazyPart(() => import("./Backups")) },
});
