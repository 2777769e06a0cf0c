import { defineScreens } from "@guildhall/console";

import { Loans } from "./Loans";
import { OutOfOrder } from "./OutOfOrder";

export default defineScreens({ loans: { component: Loans }, "out-of-order": { component: OutOfOrder } });
