/** Which columns flat answers about the features of a table have. */
import { flattenAttributes } from '../formats/flatten-attributes.ts';
import type { FlatColumn } from './table-facts.ts';

/** What the formats of tables take (`feature-table.ts`). */
const MAX_COLUMNS = 1_900;

export class FlatColumns {
  readonly #columns = new Map<string, { key: string; name: string; type: FlatColumn['type'] }>();

  /** Notes what a feature has, by the keys of its answer. */
  see(properties: Readonly<Record<string, unknown>>): void {
    if (this.#columns.size > MAX_COLUMNS) return;
    for (const [key, value] of Object.entries(properties)) {
      if (typeof value === 'object') {
        for (const [name, cell] of flattenAttributes({ [key]: value })) this.#note(key, name, cell);
      } else if (value !== undefined) this.#note(key, key, value);
    }
  }

  /** In the order in which features had them; null where there are too many. */
  list(): FlatColumn[] | null {
    return this.#columns.size > MAX_COLUMNS ? null : [...this.#columns.values()];
  }

  #note(key: string, name: string, value: unknown): void {
    if (value === null) return;
    const type = typeof value as FlatColumn['type'];
    const known = this.#columns.get(name);
    if (known === undefined) this.#columns.set(name, { key, name, type });
    else if (known.type !== type) known.type = 'string';
  }
}
