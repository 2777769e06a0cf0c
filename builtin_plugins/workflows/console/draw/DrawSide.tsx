import { useDeferredValue, useMemo, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Select } from "@guildhall/console/ui/Select";
import { graphOf } from "../workflows/spec";
import { StepGraph } from "../workflows/StepGraph";
import styles from "./Draw.module.css";
import { addStep, newStep, type Spec } from "./drawing";
import { useKinds, useTools, type Found } from "./format";
import { Palette } from "./Palette";
import { StepForm } from "./StepForm";
import { TryWhole } from "./TryWhole";

export interface DrawSideProps {
  spec: Spec;
  problems: readonly Found[] | null;
  onChange: (spec: Spec) => void;
  /** Shows where a step stands in the JSON. */
  onShow: (pointer: string) => void;
}

/** The drawing of a spec, the palette above it, and the form of the chosen step below; all of it is the JSON. */
export function DrawSide({ spec, problems, onChange, onShow }: DrawSideProps) {
  const t = useText();
  const kinds = useKinds();
  const tools = useTools();
  const [chosen, setChosen] = useState<string | null>(null);
  // The picture may come a moment later; what is changed next is what was changed last.
  const graph = graphOf(spec);
  const later = useDeferredValue(spec);
  const drawn = useMemo(() => graphOf(later), [later]);
  const selected = graph.steps.find(({ pointer }) => pointer === chosen);
  const add = (kind: string, tool: string) => {
    const grown = addStep(spec, selected?.pointer ?? null, newStep(spec, kind, tool));
    setChosen(grown.pointer);
    onChange(grown.spec);
  };
  return (
    <div className={styles.side}>
      <Palette kinds={kinds} tools={tools} onAdd={add} />
      {graph.steps.length > 0 && (
        <StepGraph
          graph={drawn}
          selected={selected?.name ?? null}
          onSelect={(name) => {
            const pointer = graph.steps.find((step) => step.name === name)?.pointer ?? null;
            setChosen(pointer);
            if (pointer) onShow(pointer);
          }}
        />
      )}
      {graph.steps.length > 0 && (
        <Select
          label={t("workflows.steps_label")}
          options={graph.steps.map(({ pointer, name }) => ({ id: pointer, name }))}
          value={selected?.pointer ?? null}
          onChange={setChosen}
        />
      )}
      {problems?.length === 0 && <p className={styles.hint}>{t("workflows.no_problems")}</p>}
      {selected ? (
        <StepForm
          key={selected.pointer}
          spec={spec}
          pointer={selected.pointer}
          kinds={kinds}
          tools={tools}
          problems={problems ?? []}
          onChange={(changed, pointer) => {
            setChosen(pointer);
            onChange(changed);
          }}
        />
      ) : (
        <p className={styles.hint}>{t("workflows.choose_step")}</p>
      )}
      {graph.steps.length > 0 && <TryWhole spec={spec} />}
    </div>
  );
}
