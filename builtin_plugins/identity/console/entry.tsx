import { defineEntry } from "@guildhall/console/screens/entry";

export default defineEntry({
  pages: {
    signIn: () => import("./entry/SignIn"),
    setUp: () => import("./entry/SetUp"),
    activate: () => import("./entry/Activate"),
    // Not beside the pages, which are there first: it takes what dialogs are made of.
    renewal: () => import("./RenewalDialog"),
    byLink: () => import("./entry/byLink"),
  },
});
