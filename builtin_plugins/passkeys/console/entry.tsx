import { defineEntry } from "@guildhall/console/screens/entry";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineEntry({
  ways: lazyPart(() => import("./SignInParts").then(({ SignInByPasskey: part }) => ({ default: part }))),
  factor: lazyPart(() => import("./SignInParts").then(({ SecondFactor: part }) => ({ default: part }))),
});
