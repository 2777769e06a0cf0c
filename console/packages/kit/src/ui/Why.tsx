import { useState } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { lazyPart } from "./lazyPart";

const WhyView = lazyPart(() => import("./WhyView"));

/** Asks what each gate says about what was refused, where the refusal tells the caller that they may know. */
export function Why({ address }: { address: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onPress={() => setOpen(true)}>
        {t("why.ask")}
      </Button>
      {isOpen && <WhyView address={address} onClose={() => setOpen(false)} />}
    </>
  );
}
