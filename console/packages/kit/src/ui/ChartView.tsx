import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { useTexts } from "../i18n/texts";
import type { ChartProps } from "./Chart";
import styles from "./ChartView.module.css";

const HEIGHT = 240;
const BAR_SHARE = 0.6;
const WIDEST_BAR = 40;
const HALF_A_DAY = 43_200;
const DAY = 86_400;
const MINUTE = 60;

/** Bars and lines, each with an axis; colours are those of the theme in use. */
export default function ChartView({ label, time, series, points, limit, by }: ChartProps) {
  const { locale } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  // Drawn anew where it says something else, not where it is only another object.
  const said = JSON.stringify({ points, series, time, limit, by });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let chart: uPlot | null = null;
    const data = [points.map(({ at }) => at / 1000), ...series.map((_, place) => points.map(({ values }) => values[place] ?? null))];
    if (limit) data.push(points.map(() => limit.value));
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(optionsFor(element.clientWidth, locale, { time, series, limit, by }), data as uPlot.AlignedData, element);
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
  }, [said, locale]);
  return <div ref={box} className={styles.chart} role="img" aria-label={label} />;
}

function optionsFor(width: number, locale: string, { time, series, limit, by = "day" }: Pick<ChartProps, "time" | "series" | "limit" | "by">): uPlot.Options {
  const colour = (token: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim();
  const short = new Intl.NumberFormat(locale, { notation: "compact" });
  const isDaily = by === "day";
  // A day is the same everywhere; a minute is the reader's own.
  const date = new Intl.DateTimeFormat(locale, isDaily ? { month: "short", day: "numeric", timeZone: "UTC" } : { timeStyle: "short" });
  const axis = { stroke: colour("muted"), font: "12px system-ui", grid: { stroke: colour("border"), width: 1 }, ticks: { show: false } };
  const whole = new Intl.NumberFormat(locale);
  const figure = (_: uPlot, value: number | null) => (value === null ? "" : whole.format(value));
  const figures = (_: uPlot, splits: number[]) => splits.map((split) => (Number.isInteger(split) ? short.format(split) : ""));
  const range = (_: uPlot, __: number, max: number): [number, number] => [0, (max || 1) * 1.1];
  const bars = { stroke: colour("accent"), fill: colour("accent"), width: 0, points: { show: false }, paths: uPlot.paths.bars?.({ size: [BAR_SHARE, WIDEST_BAR] }) };
  const line = { stroke: colour("text"), width: 1.5, points: { size: 5, fill: colour("bg") } };
  return {
    width,
    height: HEIGHT,
    ...(isDaily && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), "UTC") }),
    cursor: { y: false, points: { show: false } },
    scales: { x: { range: (_, min, max) => (isDaily ? [min - HALF_A_DAY, max + HALF_A_DAY] : [min, max]) }, ...Object.fromEntries(series.map((_, place) => [`y${place}`, { range }])) },
    axes: [
      { ...axis, grid: { show: false }, values: (_, splits) => splits.map((at) => date.format(at * 1000)), incrs: isDaily ? [DAY, 2 * DAY, 7 * DAY, 14 * DAY] : [MINUTE, 2 * MINUTE, 5 * MINUTE] },
      ...series.map((_, place) => ({ ...axis, scale: `y${place}`, values: figures, ...(place > 0 && { side: 1, grid: { show: false } }) })),
    ],
    series: [
      { label: time, value: (_, at) => (at === null ? "" : date.format(at * 1000)) },
      ...series.map(({ label, kind }, place) => ({ label, value: figure, scale: `y${place}`, ...(kind === "bars" ? bars : line) })),
      ...(limit ? [{ label: limit.label, value: figure, scale: "y0", stroke: colour("danger"), width: 1.5, dash: [6, 4], points: { show: false } }] : []),
    ],
  };
}
