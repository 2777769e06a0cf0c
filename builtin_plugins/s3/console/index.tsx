import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  "s3-keys": { component: lazyPart(() => import("./S3Keys").then(({ S3Keys: component }) => ({ default: component }))) },
});
