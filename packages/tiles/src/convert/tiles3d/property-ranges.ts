/**
 * Smallest and largest values of numeric columns, which clients make sliders and ramps of colours from (`properties` of
 * a tileset).
 */
import { compareTexts } from '@citymodel/base';
import type { FeatureTable } from './feature-table.ts';

export type NumberRange = readonly [minimum: number, maximum: number];

export class PropertyRanges {
  readonly #ranges = new Map<string, [number, number]>();

  add(tables: readonly FeatureTable[]): void {
    for (const { columns } of tables) {
      for (const { name, type, values } of columns) {
        if (type === 'STRING') continue;
        for (const value of values) if (typeof value === 'number') this.#extend(name, value, value);
      }
    }
  }

  /** Takes what `toJSON` of others gave. */
  merge(ranges: Readonly<Record<string, NumberRange>>): void {
    for (const [name, [low, high]] of Object.entries(ranges)) this.#extend(name, low, high);
  }

  toJSON(): Record<string, NumberRange> {
    return Object.fromEntries([...this.#ranges].sort(([a], [b]) => compareTexts(a, b)));
  }

  #extend(name: string, low: number, high: number): void {
    const range = this.#ranges.get(name);
    if (range === undefined) this.#ranges.set(name, [low, high]);
    else {
      range[0] = Math.min(range[0], low);
      range[1] = Math.max(range[1], high);
    }
  }
}
