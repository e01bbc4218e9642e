/** Attributes of features as bytes; names and types of columns are kept once for the file. */
import type { Column, ColumnType } from './columns.ts';

/** What a feature is, without its shape. */
export interface FeatureHead {
  /** gml:id; with `#n` behind it for the n-th feature of the same id; `path#number` for one without. */
  id: string;
  /** Qualified name of its element. */
  type: string;
  columns: Column[];
}

/** A number and a value by turns for each column. */
type Packed = [id: string, type: string, ...columns: Array<string | number>];

export class HeadPacker {
  readonly #columns: Array<Pick<Column, 'name' | 'type'>> = [];
  readonly #numbers = new Map<string, Partial<Record<ColumnType, number>>>();

  pack({ id, type, columns }: FeatureHead): Buffer {
    const packed: Packed = [id, type];
    for (const column of columns) packed.push(this.#number(column), column.value);
    return Buffer.from(JSON.stringify(packed));
  }

  unpack(bytes: Buffer): FeatureHead {
    const [id, type, ...rest] = JSON.parse(bytes.toString()) as Packed;
    const columns: Column[] = [];
    for (let i = 0; i < rest.length; i += 2) {
      columns.push({ ...this.#columns[rest[i] as number]!, value: rest[i + 1]! });
    }
    return { id, type, columns };
  }

  #number({ name, type }: Column): number {
    let byType = this.#numbers.get(name);
    if (byType === undefined) {
      byType = {};
      this.#numbers.set(name, byType);
    }
    let number = byType[type];
    if (number === undefined) {
      number = this.#columns.push({ name, type }) - 1;
      byType[type] = number;
    }
    return number;
  }
}
