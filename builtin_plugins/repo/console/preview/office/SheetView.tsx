import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { usePlace } from "@guildhall/console/ui/place";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { NoPreview, type PreviewProps } from "../Preview";
import preview from "../Preview.module.css";
import styles from "./Office.module.css";
import { OfficeView } from "./OfficeView";
import { columnName, MAX_COLUMNS, MAX_ROWS, Workbook, type Table } from "./sheet";

/** A workbook, sheet by sheet, with the letters and numbers that its cells are known by. */
export default function SheetView(props: PreviewProps) {
  const { locale } = useTexts();
  return (
    <OfficeView {...props} kind={`sheet ${locale}`} read={(bytes) => Workbook.open(bytes, locale)}>
      {(workbook) => <Sheets {...props} workbook={workbook} />}
    </OfficeView>
  );
}

function Sheets({ object, version, workbook }: PreviewProps & { workbook: Workbook }) {
  const t = useText();
  const place = usePlace();
  const [chosen, setChosen] = useState(() => Math.max(0, workbook.sheets.findIndex(({ name }) => name === place?.sheet)));
  const sheet = workbook.sheets[chosen];
  const table = useQuery({
    queryKey: ["file-sheet", object.id, version.version, chosen, sheet?.part],
    queryFn: () => workbook.table(sheet?.part ?? ""),
    enabled: sheet !== undefined,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  if (!sheet) return <EmptyState text={t("files.empty_text")} />;
  return (
    <>
      {workbook.sheets.length > 1 && (
        <div className={styles.sheets}>
          <Select
            label={t("files.sheets")}
            isLabelHidden
            value={String(chosen)}
            onChange={(at) => setChosen(Number(at))}
            options={workbook.sheets.map(({ name }, at) => ({ id: String(at), name }))}
          />
        </div>
      )}
      {table.isError ? (
        <NoPreview object={object} version={version} text={t("files.broken")} />
      ) : table.data === undefined ? (
        <SkeletonRows />
      ) : (
        <Cells table={table.data} name={sheet.name} />
      )}
    </>
  );
}

function Cells({ table, name }: { table: Table; name: string }) {
  const t = useText();
  if (table.rows.length === 0) return <EmptyState text={t("files.empty_text")} />;
  const columns = Array.from({ length: table.columns }, (_, at) => columnName(at));
  return (
    <>
      <div className={preview.tableScroll} tabIndex={0} role="region" aria-label={`${t("files.show_preview")}: ${name}`}>
        <table className={`${preview.table} ${styles.cells}`}>
          <thead>
            <tr>
              <td />
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map(({ number, cells }) => (
              <tr key={number}>
                <th scope="row">{number}</th>
                {columns.map((column, at) => (
                  <td key={column} dir="auto" className={cells[at]?.isNumber ? styles.figure : undefined}>
                    {cells[at]?.text ?? ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.isCut && <p className={preview.quiet}>{t("files.sheet_cut", { rows: MAX_ROWS, columns: MAX_COLUMNS })}</p>}
    </>
  );
}
