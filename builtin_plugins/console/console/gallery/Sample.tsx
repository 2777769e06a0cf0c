import type { ReactNode } from "react";

import { Panel } from "@guildhall/console/ui/Panel";
import styles from "./Gallery.module.css";

/** One component, by its name. */
export function Sample({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Panel title={name}>
      <div className={styles.sample} data-component={name}>
        {children}
      </div>
    </Panel>
  );
}
