/** Columns of text, aligned on a terminal where Japanese characters take two places. */

export interface Column {
  title: string;
  align?: 'left' | 'right';
}

/** Places that the text takes on a terminal (Unicode Standard Annex #11, wide and full-width characters). */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const wide =
      (code >= 0x1100 && code <= 0x115f) ||
      (code >= 0x2e80 && code <= 0xa4cf) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0xffe0 && code <= 0xffe6) ||
      code >= 0x20000;
    width += wide ? 2 : 1;
  }
  return width;
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
