import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef } from "react";
import type Sigma from "sigma";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import type { Neighbourhood } from "./entities";
import { draw } from "./draw";
import { useThemeColours } from "./useThemeColours";
import styles from "./Knowledge.module.css";

export interface DrawingProps {
  graph: Neighbourhood;
  onOpen: (id: string) => void;
  /** There is no WebGL after all. */
  onFailed: () => void;
}

/** A neighbourhood drawn: a press on a node opens it. For the eye alone: the table beside it has the same. */
export default function Drawing({ graph, onOpen, onFailed }: DrawingProps) {
  const t = useText();
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<Sigma | null>(null);
  const colours = useThemeColours();
  const heard = useRef({ onOpen, onFailed, typeName: (type: string) => t(`graph.${type}`) });
  heard.current = { onOpen, onFailed, typeName: (type: string) => t(`graph.${type}`) };
  useEffect(() => {
    if (!place.current) return undefined;
    try {
      const sigma = draw(place.current, graph, colours, heard.current.typeName);
      sigma.on("clickNode", ({ node }) => heard.current.onOpen(node));
      drawn.current = sigma;
      return () => {
        drawn.current = null;
        sigma.kill();
      };
    } catch {
      heard.current.onFailed();
      return undefined;
    }
  }, [graph, colours]);
  useEffect(() => {
    // A wheel scrolls the page; with Ctrl, or by pinching, it zooms.
    const box = place.current;
    const pass = (event: WheelEvent) => !event.ctrlKey && !event.metaKey && event.stopPropagation();
    box?.addEventListener("wheel", pass, { capture: true });
    return () => box?.removeEventListener("wheel", pass, { capture: true });
  }, []);
  const camera = () => drawn.current?.getCamera();
  const zoom = (factor: number) => {
    const { x, y, angle, ratio } = camera()?.getState() ?? { x: 0.5, y: 0.5, angle: 0, ratio: 1 };
    camera()?.setState({ x, y, angle, ratio: ratio * factor });
  };
  return (
    <div className={styles.drawing}>
      <div
        ref={place}
        role="img"
        aria-label={t("graph.drawing_label", { nodes: graph.nodes.length, edges: graph.edges.length })}
        className={styles.canvas}
      />
      <div className={styles.zoom}>
        <Button aria-label={t("graph.zoom_in")} onPress={() => zoom(0.7)}>
          <ZoomIn size={16} />
        </Button>
        <Button aria-label={t("graph.zoom_out")} onPress={() => zoom(1 / 0.7)}>
          <ZoomOut size={16} />
        </Button>
        <Button aria-label={t("graph.fit")} onPress={() => camera()?.setState({ x: 0.5, y: 0.5, angle: 0, ratio: 1 })}>
          <Maximize size={16} />
        </Button>
      </div>
    </div>
  );
}
