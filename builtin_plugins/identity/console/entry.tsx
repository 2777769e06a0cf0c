import { defineEntry } from "@guildhall/console/screens/entry";

export default defineEntry({
  pages: {
    signIn: () => import("./entry/SignIn"),
    setUp: () => import("./entry/SetUp"),
    activate: () => import("./entry/Activate"),
    renewal: () => import("./entry/RenewalDialog"),
    byLink: () => import("./entry/byLink"),
  },
});
