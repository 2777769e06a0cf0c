import { Suspense, useState } from "react";

import { AccountButton } from "./AccountButton";
import { lazyPart } from "../ui/lazyPart";

const AccountMenu = lazyPart(() => import("./AccountMenu"));

/** Menus are much code: the first screen does not wait for it. Pressed before it is here, the menu opens once it is. */
export function Account() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Suspense fallback={<AccountButton onPress={() => setOpen(true)} />}>
      <AccountMenu isOpen={isOpen} onOpenChange={setOpen} />
    </Suspense>
  );
}
