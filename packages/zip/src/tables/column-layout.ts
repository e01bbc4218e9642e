/** What a column holds. */
export type ColumnKind = 'f64' | 'u32' | 'u8' | 'bytes';

/** Columns that lie one behind the other in a buffer, by name, and how many values each has. */
export type ColumnLayout = Readonly<Record<string, readonly [kind: ColumnKind, count: number]>>;

interface Views {
  f64: Float64Array<ArrayBuffer>;
  u32: Uint32Array<ArrayBuffer>;
  u8: Uint8Array<ArrayBuffer>;
  bytes: Buffer<ArrayBuffer>;
}

/** The columns of a layout over a buffer. */
export type ColumnsOf<L extends ColumnLayout> = { [Name in keyof L]: Views[L[Name][0]] };

const WIDTH: Readonly<Record<ColumnKind, number>> = { f64: 8, u32: 4, u8: 1, bytes: 1 };

/** Bytes of all columns. */
export function columnBytes(layout: ColumnLayout): number {
  return Object.values(layout).reduce((sum, [kind, count]) => sum + WIDTH[kind] * count, 0);
}

/**
 * The columns over the bytes of a buffer from `base` on, without a copy: as they lie there, in the byte order of the
 * machine. Throws a RangeError when they do not fit, or do not begin at multiples of their width.
 */
export function columnsOver<L extends ColumnLayout>(
  layout: L,
  buffer: ArrayBufferLike,
  base: number,
): ColumnsOf<L> {
  const memory = buffer as ArrayBuffer;
  const views = {} as Record<string, Views[ColumnKind]>;
  let at = base;
  for (const [name, [kind, count]] of Object.entries(layout)) {
    views[name] = view(kind, memory, at, count);
    at += WIDTH[kind] * count;
  }
  return views as ColumnsOf<L>;
}

function view(kind: ColumnKind, memory: ArrayBuffer, at: number, count: number): Views[ColumnKind] {
  switch (kind) {
    case 'f64':
      return new Float64Array(memory, at, count);
    case 'u32':
      return new Uint32Array(memory, at, count);
    case 'u8':
      return new Uint8Array(memory, at, count);
    case 'bytes':
      return Buffer.from(memory, at, count);
  }
}
