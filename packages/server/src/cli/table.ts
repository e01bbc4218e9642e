/** Columns of text, aligned on a terminal where Japanese characters take two places. */
import textWidth from 'string-width';

export interface Column {
  title: string;
  align?: 'left' | 'right';
}

/** Renders rows under their titles, two blanks between columns, without trailing blanks. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, i) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[i] ?? '')), textWidth(column.title)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => {
        const blanks = ' '.repeat(widths[i]! - textWidth(cell));
        return columns[i]!.align === 'right' ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd();
  return [line(columns.map((column) => column.title)), ...rows.map((row) => line(row))].join('\n');
}
