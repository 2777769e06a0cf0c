import { defineScreens } from "@guildhall/console";

import { Loans } from "./Loans";
import { OutOfOrder } from "./OutOfOrder";

export default defineScreens({
  loans: {
    component: Loans,
    letter: "b",
    begin: [{ name: "loans.new", path: "/loans", needs: "notes:write", card: { name: "loans.new", text: "loans.text" } }],
    waiting: () => import("./useLent"),
  },
  "out-of-order": { component: OutOfOrder },
});
