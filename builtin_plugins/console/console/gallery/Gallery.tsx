import { useState } from "react";

import { PageHead } from "@guildhall/console/ui/PageHead";
import { Select } from "@guildhall/console/ui/Select";
import { Switch } from "@guildhall/console/ui/Switch";
import { setPreference, usePreference, type Mode } from "@guildhall/console/theme/preferences";
import { DialogSamples, FormSamples, ListSamples, TextSamples } from "./samples";
import styles from "./Gallery.module.css";

const MODES: readonly Mode[] = ["light", "dark", "system"];

/** Every component that `@guildhall/console` offers, by its name, as it stands on a screen; for who builds one. */
export default function Gallery() {
  const mode = usePreference("mode");
  const [isTurned, setTurned] = useState(false);
  return (
    <div dir={isTurned ? "rtl" : undefined} className={styles.gallery}>
      <PageHead title="@guildhall/console" text="What screens are made of. Narrow the window for a phone.">
        <Select label="Mode" isLabelHidden value={mode} options={MODES.map((id) => ({ id, name: id }))} onChange={(chosen) => setPreference("mode", chosen as Mode)} />
        <Switch isSelected={isTurned} onChange={setTurned}>
          Right to left
        </Switch>
      </PageHead>
      <FormSamples />
      <ListSamples />
      <TextSamples />
      <DialogSamples />
    </div>
  );
}
