/** Ids of the features of a file: each has one of its own in tiles. */
import { gmlIdOf, type XmlElement } from '@citymodel/citygml';
import type { Column } from './column.ts';
import type { IssueCounter } from './issue-counter.ts';
import { keyOf } from './key.ts';

/** The id that each feature has in tiles; ids that are missing or stand twice are counted. */
export class FeatureIds {
  readonly #path: string;
  readonly #issues: IssueCounter;
  /** How often the id with a key was seen. */
  readonly #seen = new Map<number, number>();

  constructor(path: string, issues: IssueCounter) {
    this.#path = path;
    this.#issues = issues;
  }

  /** What stands for the id of a feature that has none. */
  nameOf(number: number): string {
    return `${this.#path}#${number}`;
  }

  /** An id that no earlier feature of the file has. */
  of(feature: XmlElement, number: number): string {
    const written = gmlIdOf(feature);
    const id = written ?? this.nameOf(number);
    if (written === null) this.#issues.count('ID_MISSING', id);
    const seen = (this.#seen.get(keyOf(id)) ?? 0) + 1;
    this.#seen.set(keyOf(id), seen);
    if (seen === 1) return id;
    if (written !== null) this.#issues.count('ID_TWICE', id);
    return `${id}#${seen}`;
  }
}

/** Only a feature whose id is another one's has another id in its columns than in the file. */
export function setId(columns: Column[], id: string): void {
  const column = columns.find(({ name }) => name === 'gml_id');
  if (column !== undefined) column.value = id;
}
