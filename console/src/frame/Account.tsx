import { CircleUser } from "lucide-react";
import { Suspense, useRef, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import frame from "./Frame.module.css";
import { useLater } from "./useLater";

const AccountMenu = lazyPart(() => import("./AccountMenu"));

/** One's name, which opens the menu. Menus are much code: pressed before it is here, it opens once it is. */
export function Account() {
  const t = useText();
  const { user } = useIdentity();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isLater = useLater();
  const name = user.display_name || user.username;
  return (
    <>
      <Button ref={button} kind="quiet" aria-label={`${t("nav.account")}: ${name}`} aria-haspopup="menu" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
        <CircleUser size={16} />
        <span className={frame.person}>{name}</span>
      </Button>
      <Suspense fallback={null}>{(isLater || isOpen) && <AccountMenu button={button} isOpen={isOpen} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
