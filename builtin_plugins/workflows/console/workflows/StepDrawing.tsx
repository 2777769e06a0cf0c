import "@xyflow/react/dist/base.css";

import { MarkerType, ReactFlow, type Edge, type NodeTypes, type ReactFlowInstance, type Viewport } from "@xyflow/react";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import type { RunStep } from "../runs/run";
import { NODE_WIDTH, placeSteps, type Placed } from "./layout";
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
/** A drawing that would have to be smaller than this to be seen whole is seen from where one is, with its names. */
const LEGIBLE = 0.5;

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
  const isWhole = TALLEST >= placed.height * LEGIBLE;
  const focus = selected ?? (states && [...states.keys()].at(-1)) ?? graph.steps[0]?.name ?? "";
  const look = useRef(() => {});
  look.current = () => {
    if (isWhole) void flow.current?.fitView(FIT);
    else void flow.current?.setViewport(viewportAt(placed, box.current?.clientWidth ?? 0, focus));
  };
  useEffect(() => {
    const watched = box.current;
    if (!watched) return;
    const observer = new ResizeObserver(() => {
      setWidth(watched.clientWidth);
      look.current();
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
            if (!isWhole) look.current();
          }}
          onNodeClick={(_, node) => onSelect?.(node.id)}
          fitView={isWhole}
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

/** The drawing with one of its steps at the top, in the middle. */
function viewportAt({ positions, width: drawn }: Placed, width: number, focus: string): Viewport {
  const zoom = Math.max(LEGIBLE, Math.min(1, width / (drawn + AROUND)));
  const { x, y } = positions.get(focus) ?? { x: 0, y: 0 };
  return { x: width / 2 - (x + NODE_WIDTH / 2) * zoom, y: AROUND - y * zoom, zoom };
}

/** As tall as the drawing is at the size that its width leaves it. */
function heightOf(placed: Placed, width: number): number {
  const scale = width ? Math.min(1, width / (placed.width + AROUND)) : 1;
  return Math.min(TALLEST, placed.height * scale + AROUND);
}
