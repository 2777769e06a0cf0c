import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({ health: { component: lazyPart(() => import("./Health").then(({ Health: component }) => ({ default: component }))) } });
