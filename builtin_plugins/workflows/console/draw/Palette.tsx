import { Plus } from "lucide-react";
import { useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Select } from "@guildhall/console/ui/Select";
import { useKindWords } from "../workflows/kindWords";
import styles from "./Draw.module.css";
import type { Kind, KnownTool } from "./format";

export interface PaletteProps {
  kinds: readonly Kind[];
  tools: readonly KnownTool[];
  onAdd: (kind: string, tool: string) => void;
}

const CALLING = new Set(["tool", "map"]);

/** The steps that can be drawn: the kinds that there are, and the tools that the team has. */
export function Palette({ kinds, tools, onAdd }: PaletteProps) {
  const t = useText();
  const words = useKindWords();
  const [kind, setKind] = useState("tool");
  const [tool, setTool] = useState<string | null>(null);
  const isCalling = CALLING.has(kind);
  return (
    <div className={styles.palette} role="group" aria-label={t("workflows.add_step")}>
      <Select
        label={t("workflows.step_kind")}
        options={kinds.map((one) => ({ id: one.kind, name: words(one.kind) }))}
        value={kind}
        onChange={setKind}
      />
      {isCalling && (
        <Select
          label={t("workflows.kind_tool")}
          options={tools.map(({ name }) => ({ id: name, name }))}
          value={tool}
          onChange={setTool}
        />
      )}
      <Button isDisabled={isCalling && tool === null} onPress={() => onAdd(kind, tool ?? "")}>
        <Plus size={16} />
        {t("workflows.add_step")}
      </Button>
    </div>
  );
}
