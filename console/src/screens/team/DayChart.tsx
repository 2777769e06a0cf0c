import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { useTexts } from "../../i18n/texts";
import type { Day } from "./days";
import styles from "./Usage.module.css";

const HEIGHT = 240;
const BAR_SHARE = 0.6;
const WIDEST_BAR = 40;

/** Tokens as bars and requests as a line, each with an axis; colours are those of the theme in use. */
export default function DayChart({ days }: { days: readonly Day[] }) {
  const { t, locale } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let chart: uPlot | null = null;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(optionsFor(element, locale, [t("usage.day"), t("usage.ai_tokens"), t("usage.ai_requests")]), dataOf(days), element);
    };
    draw();
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    const recoloured = new MutationObserver(draw);
    recoloured.observe(document.documentElement, { attributes: true, attributeFilter: ["data-mode", "style"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", draw);
    return () => {
      resized.disconnect();
      recoloured.disconnect();
      system.removeEventListener("change", draw);
      chart?.destroy();
    };
  }, [days, locale, t]);
  return <div ref={box} className={styles.chart} role="img" aria-label={t("usage.chart_label", { count: days.length })} />;
}

function dataOf(days: readonly Day[]): uPlot.AlignedData {
  return [days.map(({ at }) => at / 1000), days.map(({ tokens }) => tokens), days.map(({ requests }) => requests)];
}

function optionsFor(element: HTMLElement, locale: string, [day = "", tokens = "", requests = ""]: string[]): uPlot.Options {
  const colour = (token: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim();
  const short = new Intl.NumberFormat(locale, { notation: "compact" });
  const date = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" });
  const axis = { stroke: colour("muted"), font: "12px system-ui", grid: { stroke: colour("border"), width: 1 }, ticks: { show: false } };
  const whole = new Intl.NumberFormat(locale);
  const figure = (_: uPlot, value: number | null) => (value === null ? "" : whole.format(value));
  const figures = (_: uPlot, splits: number[]) => splits.map((split) => (Number.isInteger(split) ? short.format(split) : ""));
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
    cursor: { y: false, points: { show: false } },
    scales: { x: { range: (_, min, max) => [min - 43_200, max + 43_200] }, tokens: { range: (_, __, max) => [0, max || 1] }, requests: { range: (_, __, max) => [0, (max || 1) * 1.1] } },
    axes: [
      { ...axis, grid: { show: false }, values: (_, splits) => splits.map((at) => date.format(at * 1000)), incrs: [86_400, 2 * 86_400, 7 * 86_400, 14 * 86_400] },
      { ...axis, scale: "tokens", values: figures },
      { ...axis, scale: "requests", side: 1, grid: { show: false }, values: figures },
    ],
    series: [
      { label: day, value: (_, at) => (at === null ? "" : date.format(at * 1000)) },
      { label: tokens, value: figure, scale: "tokens", stroke: colour("accent"), fill: colour("accent"), width: 0, points: { show: false }, paths: uPlot.paths.bars?.({ size: [BAR_SHARE, WIDEST_BAR] }) },
      { label: requests, value: figure, scale: "requests", stroke: colour("text"), width: 1.5, points: { size: 5, fill: colour("bg") } },
    ],
  };
}
