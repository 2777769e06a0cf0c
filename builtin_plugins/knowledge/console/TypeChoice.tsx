import { ToggleButton } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { ICONS, TYPES, type EntityType } from "./entities";
import styles from "./Overview.module.css";

/** Which types are shown, by a press each. */
export function TypeChoice({ types, onChange }: { types: readonly EntityType[]; onChange: (types: EntityType[]) => void }) {
  const t = useText();
  return (
    <div role="group" aria-label={t("graph.types")} className={styles.types}>
      {TYPES.map((type) => {
        const Icon = ICONS[type];
        return (
          <ToggleButton
            key={type}
            className={styles.chip ?? ""}
            isSelected={types.includes(type)}
            onChange={(isOn) => onChange(TYPES.filter((one) => (one === type ? isOn : types.includes(one))))}
          >
            <Icon size={16} aria-hidden="true" />
            {t(`graph.${type}`)}
          </ToggleButton>
        );
      })}
    </div>
  );
}
