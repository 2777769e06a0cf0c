/** Draws a neighbourhood with sigma. */

import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import Sigma from "sigma";
import { EdgeArrowProgram } from "sigma/rendering";

import type { Neighbourhood } from "./entities";
import { mix, rings } from "./layout";
import { saidOf } from "./neighbourhood";
import type { Colours } from "./useThemeColours";

const ROUNDS = 200;
const LONGEST = 40;
const SIZES = [12, 8, 6, 5];
const SHARES = [1, 0.7, 0.5, 0.35];
const FONT = "system-ui, sans-serif";

export function draw(box: HTMLElement, neighbourhood: Neighbourhood, colours: Colours, typeName: (type: string) => string): Sigma {
  const graph = graphOf(neighbourhood, colours, typeName);
  return new Sigma(graph, box, {
    allowInvalidContainer: true,
    defaultEdgeType: "arrow",
    edgeProgramClasses: { arrow: EdgeArrowProgram },
    labelFont: FONT,
    labelSize: 13,
    labelColor: { color: colours.text },
    renderEdgeLabels: neighbourhood.edges.length <= 60,
    edgeLabelFont: FONT,
    edgeLabelSize: 11,
    edgeLabelColor: { color: colours.muted },
    labelRenderedSizeThreshold: neighbourhood.nodes.length <= 60 ? 0 : 6,
    labelDensity: 1.5,
    stagePadding: 48,
    zIndex: true,
    // Nothing moves by itself.
    inertiaDuration: 0,
    zoomDuration: 0,
    doubleClickZoomingDuration: 0,
    defaultDrawNodeLabel: (context, data, settings) => {
      if (!data.label) return;
      context.font = `${settings.labelSize}px ${FONT}`;
      context.fillStyle = colours.text;
      const start = beside(data, context.measureText(data.label).width, 3, box.clientWidth);
      context.fillText(data.label, start, data.y + settings.labelSize / 3);
    },
    defaultDrawNodeHover: (context, data, settings) => {
      const words = `${data.label ?? ""} · ${graph.getNodeAttribute(data.key, "typeName") as string}`;
      context.font = `${settings.labelSize}px ${FONT}`;
      const width = context.measureText(words).width + 16;
      const start = beside(data, width, 2, box.clientWidth);
      context.beginPath();
      context.roundRect(start, data.y - 13, width, 26, 6);
      context.fillStyle = colours.surface;
      context.fill();
      context.strokeStyle = colours.border;
      context.stroke();
      context.fillStyle = colours.text;
      context.fillText(words, start + 8, data.y + settings.labelSize / 3);
    },
  });
}

/** Where words beside a node begin: behind it, or before it where they would go beyond the edge. */
function beside({ x, size }: { x: number; size: number }, width: number, gap: number, room: number): number {
  const behind = x + size + gap;
  return behind + width <= room ? behind : Math.max(gap, x - size - gap - width);
}

function graphOf({ nodes, edges }: Neighbourhood, colours: Colours, typeName: (type: string) => string): Graph {
  const graph = new Graph({ multi: true });
  const places = rings(nodes);
  for (const node of nodes) {
    graph.addNode(node.id, {
      ...(places.get(node.id) ?? { x: 0, y: 0 }),
      label: node.name.length > LONGEST ? `${node.name.slice(0, LONGEST)}…` : node.name,
      typeName: typeName(node.type),
      size: SIZES[node.distance] ?? 5,
      color: node.distance === 0 ? colours.accent : mix(colours.text, colours.bg, SHARES[node.distance] ?? 0.35),
      zIndex: -node.distance,
    });
  }
  for (const { source, predicate, target } of edges) {
    if (!graph.hasNode(source) || !graph.hasNode(target)) continue;
    graph.addEdge(source, target, { label: saidOf(predicate), size: 1.5, color: mix(colours.muted, colours.bg, 0.6) });
  }
  if (graph.order > 2) {
    forceAtlas2.assign(graph, { iterations: ROUNDS, settings: { ...forceAtlas2.inferSettings(graph), adjustSizes: false } });
  }
  return graph;
}
