import type { ReactNode } from "react";

import styles from "./Table.module.css";

export interface Column<Item> {
  id: string;
  name: string;
  cell: (item: Item) => ReactNode;
  /** Figures stand at the end of their column. */
  isFigure?: boolean;
  /** Hidden where there is little room. */
  isSecondary?: boolean;
}

export interface TableProps<Item> {
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  idOf: (item: Item) => string;
  /** What can be done with a row; its own buttons, at the end. */
  actions?: (item: Item) => ReactNode;
}

/** A short list as a table: people, tokens, limits. What can be long is a `RowList`. */
export function Table<Item>({ label, columns, items, idOf, actions }: TableProps<Item>) {
  return (
    <div className={styles.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.name}
              </th>
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)} data-line="" tabIndex={-1}>
              {columns.map((column) => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(item)}
                </td>
              ))}
              {actions && <td className={styles.actions}>{actions(item)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Item>({ isFigure, isSecondary }: Column<Item>): string {
  return `${isFigure ? (styles.figure ?? "") : ""} ${isSecondary ? (styles.secondary ?? "") : ""}`.trim();
}
