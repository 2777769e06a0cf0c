import type { CSSProperties } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import type { PreviewProps } from "../Preview";
import preview from "../Preview.module.css";
import styles from "./Office.module.css";
import { OfficeView } from "./OfficeView";
import { readSlides, type Presentation, type Shape, type SlideParagraph } from "./slides";

/** A presentation, one slide below the other: texts, pictures and boxes where they stand, without what moves. */
export default function SlidesView(props: PreviewProps) {
  const t = useText();
  return (
    <OfficeView {...props} kind="slides" read={readSlides}>
      {(presentation) => (
        <>
          <ol className={styles.slides} tabIndex={0} aria-label={t("files.show_preview")}>
            {presentation.slides.map((slide, at) => (
              <li key={at} aria-label={t("files.slide", { number: at + 1 })}>
                <div className={styles.slide} style={{ aspectRatio: `${presentation.width} / ${presentation.height}`, background: slide.background ?? "#fff" }}>
                  {slide.shapes.map((shape, place) => (
                    <Box key={place} shape={shape} presentation={presentation} />
                  ))}
                </div>
              </li>
            ))}
          </ol>
          {presentation.isCut && <p className={preview.quiet}>{t("files.cut_short")}</p>}
        </>
      )}
    </OfficeView>
  );
}

const percent = (part: number) => `${(part * 100).toFixed(3)}%`;

function Box({ shape, presentation }: { shape: Shape; presentation: Presentation }) {
  const place: CSSProperties = {
    left: percent(shape.x),
    top: percent(shape.y),
    width: percent(shape.width),
    height: percent(shape.height),
    justifyContent: shape.anchor,
    ...(shape.fill && { background: shape.fill }),
  };
  return (
    <div className={styles.box} style={place}>
      {shape.picture && <img src={shape.picture} alt="" />}
      {shape.table && (
        <table style={{ fontSize: sizeOf(14, presentation) }}>
          <tbody>
            {shape.table.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shape.paragraphs.map((paragraph, at) => (
        <Paragraph key={at} paragraph={paragraph} presentation={presentation} />
      ))}
    </div>
  );
}

/** Points of the slide as parts of its width, however wide it is shown. */
const sizeOf = (points: number, { width }: Presentation) => `${((points / width) * 100).toFixed(3)}cqw`;

function Paragraph({ paragraph: { align, depth, hasBullet, runs }, presentation }: { paragraph: SlideParagraph; presentation: Presentation }) {
  const first = runs[0]?.size ?? 18;
  const indent = hasBullet ? depth + 1 : depth;
  return (
    <p dir="auto" style={{ textAlign: align, fontSize: sizeOf(first, presentation), paddingInlineStart: `${indent * 1.2}em` }}>
      {hasBullet && <span className={styles.bullet}>•</span>}
      {runs.map(({ text, isBold, isItalic, size, colour }, at) => (
        <span
          key={at}
          style={{ fontSize: sizeOf(size, presentation), ...(isBold && { fontWeight: 700 }), ...(isItalic && { fontStyle: "italic" }), ...(colour && { color: colour }) }}
        >
          {text}
        </span>
      ))}
      {runs.length === 0 && "\u00a0"}
    </p>
  );
}
