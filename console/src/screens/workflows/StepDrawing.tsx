import "@xyflow/react/dist/base.css";

import { MarkerType, ReactFlow, type Edge, type NodeTypes, type ReactFlowInstance } from "@xyflow/react";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";

import { useText } from "../../i18n/texts";
import { Button } from "../../ui/Button";
import type { RunStep } from "../runs/run";
import { placeSteps, type Placed } from "./layout";
import type { SpecGraph } from "./spec";
import styles from "./StepDrawing.module.css";
import { StepNode, type StepNodeType } from "./StepNode";

export interface StepDrawingProps {
  graph: SpecGraph;
  /** How far each step is, by its name; none of a workflow that is only looked at. */
  states?: ReadonlyMap<string, RunStep>;
  selected?: string | null;
  onSelect?: (name: string) => void;
}

const NODE_TYPES: NodeTypes = { step: StepNode };
const FIT = { padding: "16px", maxZoom: 1 } as const;
const TALLEST = 560;
const AROUND = 32;
const WIDEST_EDGE_PX = 1.5;

export default function StepDrawing({ graph, states, selected, onSelect }: StepDrawingProps) {
  const t = useText();
  const flow = useRef<ReactFlowInstance<StepNodeType> | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const placed = useMemo(() => placeSteps(graph), [graph]);
  const nodes = useMemo<StepNodeType[]>(
    () =>
      graph.steps.map((step) => ({
        id: step.name,
        type: "step",
        position: placed.positions.get(step.name) ?? { x: 0, y: 0 },
        data: { step, taken: states?.get(step.name) ?? null, isRun: states !== undefined },
        selected: step.name === selected,
      })),
    [graph, placed, states, selected],
  );
  const edges = useMemo<Edge[]>(
    () =>
      graph.edges.map(({ from, to, way }) => ({
        id: `${from} ${way ?? ""} ${to}`,
        source: from,
        target: to,
        ...(way && { label: t(`workflows.${way}`) }),
        className: states?.has(from) && states.has(to) ? styles.walked ?? "" : "",
        markerEnd: { type: MarkerType.ArrowClosed, strokeWidth: WIDEST_EDGE_PX, color: "var(--edge)" },
      })),
    [graph, states, t],
  );
  useEffect(() => {
    const watched = box.current;
    if (!watched) return;
    const observer = new ResizeObserver(() => {
      setWidth(watched.clientWidth);
      void flow.current?.fitView(FIT);
    });
    observer.observe(watched);
    return () => observer.disconnect();
  }, []);
  // A finger that moves over the drawing scrolls the page, not the drawing.
  const hasMouse = useMemo(() => matchMedia("(pointer: fine)").matches, []);
  return (
    <div ref={box} className={styles.box} style={{ height: heightOf(placed, width) }}>
      <div aria-hidden="true" className={styles.drawing}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          onInit={(instance) => {
            flow.current = instance;
          }}
          onNodeClick={(_, node) => onSelect?.(node.id)}
          fitView
          fitViewOptions={FIT}
          minZoom={0.1}
          maxZoom={1.5}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          panOnDrag={hasMouse}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          zoomOnPinch={false}
          preventScrolling={false}
          onlyRenderVisibleElements={graph.steps.length > 100}
          proOptions={{ hideAttribution: true }}
        />
      </div>
      <div className={styles.tools}>
        <Button kind="quiet" aria-label={t("graph.zoom_in")} onPress={() => void flow.current?.zoomIn()}>
          <ZoomIn size={16} />
        </Button>
        <Button kind="quiet" aria-label={t("graph.zoom_out")} onPress={() => void flow.current?.zoomOut()}>
          <ZoomOut size={16} />
        </Button>
        <Button kind="quiet" aria-label={t("workflows.zoom_fit")} onPress={() => void flow.current?.fitView(FIT)}>
          <Maximize size={16} />
        </Button>
      </div>
    </div>
  );
}

/** As tall as the drawing is at the size that its width leaves it. */
function heightOf(placed: Placed, width: number): number {
  const scale = width ? Math.min(1, width / (placed.width + AROUND)) : 1;
  return Math.min(TALLEST, placed.height * scale + AROUND);
}
