import { Suspense, useRef, useState } from "react";

import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { AccountButton } from "./AccountButton";
import { useLater } from "./useLater";

const AccountMenu = lazyPart(() => import("./AccountMenu"));

/** Menus are much code: the first screen does not wait for it. Pressed before it is here, the menu opens once it is. */
export function Account() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isLater = useLater();
  return (
    <>
      <AccountButton ref={button} isOpen={isOpen} onPress={() => setOpen(!isOpen)} />
      <Suspense fallback={null}>{(isLater || isOpen) && <AccountMenu button={button} isOpen={isOpen} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
