import { PanelLeftClose, PanelLeftOpen } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { setPreference, usePreference } from "@guildhall/console/theme/preferences";
import { Button } from "@guildhall/console/ui/Button";
import { Navigation } from "./Navigation";
import styles from "./Side.module.css";
import { TeamSwitch } from "./TeamSwitch";

/** The navigation beside the screen; as narrow as its icons where one likes it so. */
export function Side() {
  const t = useText();
  const { config } = useInstance();
  const isNarrow = usePreference("narrow");
  const Icon = isNarrow ? PanelLeftOpen : PanelLeftClose;
  return (
    <aside className={styles.side} data-narrow={isNarrow ? "" : undefined}>
      <TeamSwitch />
      <Navigation isNarrow={isNarrow} />
      <div className={styles.foot}>
        <Button
          kind="quiet"
          aria-label={t(isNarrow ? "nav.expand" : "nav.collapse")}
          aria-pressed={isNarrow}
          onPress={() => setPreference("narrow", !isNarrow)}
        >
          <Icon size={16} />
        </Button>
        <span className={styles.version}>{t("nav.version", { version: config.version })}</span>
      </div>
    </aside>
  );
}
