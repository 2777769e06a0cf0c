import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { arrange, shortened, towards, type Placed } from "./arrangement";
import { ICONS, pathOf, type Overview, type Scope } from "./entities";
import { saidOf } from "./neighbourhood";
import styles from "./Overview.module.css";

const SHAPE = 0.56;
const LOWEST = 380;
const HIGHEST = 640;

/** The most connected things, drawn: each is a link, what it is related to stands out when one is at it. */
export default function OverviewDrawing({ graph, scope }: { graph: Overview; scope: Scope }) {
  const t = useText();
  const [, navigate] = useLocation();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const height = Math.round(Math.min(HIGHEST, Math.max(LOWEST, width * SHAPE)));
  const placed = useMemo(() => (width > 0 ? arrange(graph, width, height) : []), [graph, width, height]);
  const byId = useMemo(() => new Map(placed.map((one) => [one.id, one])), [placed]);
  const [at, setAt] = useState<string | null>(null);
  const [stop, setStop] = useState<string | null>(null);
  const isNear = (id: string) => at === null || id === at || graph.edges.some(({ source, target }) => (source === at && target === id) || (target === at && source === id));
  const first = byId.get(stop ?? "") ?? placed[0];
  const onKeyDown = (event: KeyboardEvent, from: Placed) => {
    const next = towards(placed, from, event.key);
    if (!next) return;
    event.preventDefault();
    setStop(next.id);
    box.current?.querySelector<SVGAElement>(`[data-id="${CSS.escape(next.id)}"]`)?.focus();
  };
  const onClick = (event: MouseEvent, id: string) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(pathOf(id, scope));
  };
  // The one that is looked at is drawn last, above all others.
  const order = [...placed].sort((one, other) => Number(one.id === at) - Number(other.id === at));
  return (
    <div ref={box} className={styles.drawing}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={t("graph.overview_label")}>
        {graph.edges.map(({ source, target, predicate }, index) => {
          const [one, other] = [byId.get(source), byId.get(target)];
          if (!one || !other) return null;
          const isLit = at !== null && (source === at || target === at);
          return (
            <g key={index} className={styles.edge} data-lit={isLit ? "" : undefined} data-faint={at !== null && !isLit ? "" : undefined} aria-hidden="true">
              <line x1={one.x} y1={one.y} x2={other.x} y2={other.y} />
              {isLit && (
                <text x={(one.x + other.x) / 2} y={(one.y + other.y) / 2}>
                  {saidOf(predicate)}
                </text>
              )}
            </g>
          );
        })}
        {order.map((node) => {
          const Icon = ICONS[node.type];
          const size = Math.max(12, node.radius * 0.95);
          return (
            <a
              key={node.id}
              href={pathOf(node.id, scope)}
              data-id={node.id}
              className={styles.node}
              data-faint={isNear(node.id) ? undefined : ""}
              data-named={node.named || (at !== null && isNear(node.id)) ? "" : undefined}
              tabIndex={node.id === first?.id ? 0 : -1}
              aria-label={t("graph.node_label", { name: node.name, type: t(`graph.${node.type}`), count: node.related })}
              onClick={(event) => onClick(event, node.id)}
              onKeyDown={(event) => onKeyDown(event, node)}
              onFocus={() => setAt(node.id)}
              onBlur={() => setAt(null)}
              onPointerEnter={() => setAt(node.id)}
              onPointerLeave={() => setAt(null)}
            >
              <circle cx={node.x} cy={node.y} r={node.radius} />
              <Icon x={node.x - size / 2} y={node.y - size / 2} width={size} height={size} aria-hidden="true" />
              <text x={node.x} y={node.named === "above" ? node.y - node.radius - 5 : node.y + node.radius + 12}>
                {shortened(node.name)}
              </text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

function useWidth(box: { current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(Math.floor(element.clientWidth));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
