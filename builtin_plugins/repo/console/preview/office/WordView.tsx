import { useText } from "@guildhall/console/i18n/texts";
import type { PreviewProps } from "../Preview";
import preview from "../Preview.module.css";
import styles from "./Office.module.css";
import { OfficeView } from "./OfficeView";
import { readWord, type Block, type Run } from "./word";

/** A Word document: its words and their shape, without the pages that paper has. */
export default function WordView(props: PreviewProps) {
  const t = useText();
  return (
    <OfficeView {...props} kind="word" read={readWord}>
      {({ blocks, isCut }) => (
        <>
          <div className={styles.paper} tabIndex={0} role="region" aria-label={t("files.show_preview")} dir="auto">
            <Blocks blocks={blocks} />
          </div>
          {isCut && <p className={preview.quiet}>{t("files.cut_short")}</p>}
        </>
      )}
    </OfficeView>
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, at) => (block.kind === "table" ? <WordTable key={at} rows={block.rows} /> : <Paragraph key={at} block={block} />));
}

function Paragraph({ block: { level, align, list, runs } }: { block: Extract<Block, { kind: "paragraph" }> }) {
  const words = runs.map((run, at) => <Words key={at} run={run} />);
  const style = { textAlign: align } as const;
  if (level > 0) {
    // The screen has a first heading already.
    const Heading = `h${Math.min(6, level + 1)}` as "h2";
    return (
      <Heading className={styles.heading} data-level={level} style={style}>
        {words}
      </Heading>
    );
  }
  if (list) {
    return (
      <p className={styles.listed} style={{ ...style, marginInlineStart: `${(list.depth + 1) * 1.75}em` }}>
        <span className={styles.mark}>{list.mark}</span>
        {words}
      </p>
    );
  }
  return <p style={style}>{words.length > 0 ? words : "\u00a0"}</p>;
}

function Words({ run }: { run: Run }) {
  if (run.picture) return <img src={run.picture.src} alt="" style={run.picture.width ? { width: run.picture.width } : undefined} />;
  let words = <>{run.text}</>;
  if (run.isBold) words = <strong>{words}</strong>;
  if (run.isItalic) words = <em>{words}</em>;
  if (run.isUnderlined) words = <u>{words}</u>;
  if (run.isStruck) words = <s>{words}</s>;
  if (run.raised === "sup") words = <sup>{words}</sup>;
  if (run.raised === "sub") words = <sub>{words}</sub>;
  return run.href && /^(https?|mailto):/i.test(run.href) ? (
    <a href={run.href} target="_blank" rel="noopener noreferrer">
      {words}
    </a>
  ) : (
    words
  );
}

function WordTable({ rows }: { rows: Extract<Block, { kind: "table" }>["rows"] }) {
  return (
    <table className={styles.wordTable}>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, place) => (
              <td key={place} colSpan={cell.span}>
                <Blocks blocks={cell.blocks} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
