import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";

import { StateMark } from "@guildhall/console/ui/StateMark";
import type { RunStep } from "../runs/run";
import { KindIcon } from "./KindIcon";
import { useKindWords } from "./kindWords";
import { NODE_HEIGHT, NODE_WIDTH } from "./layout";
import type { SpecStep } from "./spec";
import styles from "./StepNode.module.css";

export type StepNodeType = Node<{ step: SpecStep; taken: RunStep | null; isRun: boolean }, "step">;

/** A step in the drawing: its name and tool, and in a run how far it is, as an icon and a word. */
export function StepNode({ data: { step, taken, isRun }, selected }: NodeProps<StepNodeType>) {
  const words = useKindWords();
  const items = taken?.items;
  return (
    <div
      className={styles.node}
      style={{ width: NODE_WIDTH, height: NODE_HEIGHT }}
      data-state={taken?.state ?? (isRun ? "untaken" : "plain")}
      data-selected={selected ? "" : undefined}
    >
      <Handle type="target" position={Position.Top} className={styles.handle} isConnectable={false} />
      <div className={styles.name}>
        <KindIcon kind={step.kind} />
        <span className={styles.words}>{step.name}</span>
      </div>
      <div className={styles.about}>
        {taken ? (
          <>
            <StateMark state={taken.state} />
            {items && (
              <span>
                {items.done} / {items.total}
              </span>
            )}
          </>
        ) : (
          <span className={styles.words}>{step.tool ?? words(step.kind)}</span>
        )}
      </div>
      {items && items.total > 0 && (
        <span className={styles.bar}>
          <span className={styles.done} style={{ width: `${(100 * items.done) / items.total}%` }} />
        </span>
      )}
      <Handle type="source" position={Position.Bottom} className={styles.handle} isConnectable={false} />
    </div>
  );
}
