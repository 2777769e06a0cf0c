import { ChevronsUpDown } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { Button } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { useIdentity } from "@guildhall/console/session/identity";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import styles from "./Side.module.css";
import { useLater } from "./useLater";

const TeamMenu = lazyPart(() => import("./TeamMenu"));

/** Whose hall this is and in which team one is, with the way to the others where there are any. */
export function TeamSwitch() {
  const t = useText();
  const { branding } = useInstance();
  const { team, teams } = useIdentity();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isLater = useLater();
  const words = (
    <>
      {branding.logo ? (
        <img src={branding.logo} alt="" className={styles.logo} />
      ) : (
        <span className={styles.initial} aria-hidden="true">
          {[...branding.title][0]?.toLocaleUpperCase()}
        </span>
      )}
      <span className={styles.names}>
        <span className={styles.title} dir="auto">
          {team.name}
        </span>
        <span className={styles.hall} dir="auto">
          {branding.title}
        </span>
      </span>
    </>
  );
  if (teams.length < 2) return <div className={styles.brand}>{words}</div>;
  return (
    <>
      <Button
        ref={button}
        className={styles.brand ?? ""}
        aria-label={`${t("nav.switch_team")}: ${team.name}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      >
        {words}
        <ChevronsUpDown size={16} aria-hidden="true" />
      </Button>
      <Suspense fallback={null}>{(isLater || isOpen) && <TeamMenu button={button} isOpen={isOpen} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
