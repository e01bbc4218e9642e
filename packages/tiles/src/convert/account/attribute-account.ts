/**
 * What becomes of the values of attributes in one GML file, counted by property: each is a column of a row, or has a
 * reason. Rows go into tables; their cells are counted again where these are written.
 */
import type { XmlElement } from '@citymodel/citygml';
import { addTo, emptyTally, type Tally } from './tally.ts';
import { contentOf, eachValue, eachValueOf, type OnValue } from './written-values.ts';

/** Why a value is no column; [docs/converting.md](../../../docs/converting.md) explains them. */
export type ValueFate =
  | 'COLUMN'
  | 'IN_JSON'
  | 'LEFT_OUT'
  | 'EMPTY'
  | 'REFERENCE'
  | 'REPEATED'
  | 'VALUE_UNKNOWN'
  | 'WORSE_SHOWN'
  | 'CODE_WITHOUT_WORD'
  | 'NAMELESS'
  | 'WITHOUT_ROW';

/** Values of one property of one class of objects. */
export interface AttributeTally extends Tally {
  /** Qualified name of the class: a feature, or an attribute object. */
  type: string;
  property: string;
}

/** What a part says of attributes: plain JSON. */
export interface PartAttributes {
  values: AttributeTally[];
  /** Cells of rows: what rows have, what tables have. */
  cells: Tally;
  /** Cells that nothing accounts for, by the name of the column. */
  missing: Record<string, number>;
}

interface Entry extends AttributeTally {
  /** Values that the text of all attributes should have, and those that it has. */
  expected: number;
  told: number;
}

/** Properties of a file that are counted apart: schemas have some 2,000, and hostile files as many as they like. */
const MOST_ENTRIES = 5_000;
/** These stand in the text of all attributes, beside those that are columns. */
const IN_TEXT = new Set<ValueFate>(['COLUMN', 'IN_JSON', 'VALUE_UNKNOWN', 'CODE_WITHOUT_WORD']);

export class AttributeAccount {
  readonly #byOwner = new Map<string, Map<string, Entry>>();
  /** The object whose values were counted last, and its properties: values of one come together. */
  #owner: string | null = null;
  #ofOwner: Map<string, Entry> | undefined;
  readonly #cells = new Map<string, { in: number; out: number; rest: number }>();
  readonly #restOfCells: Record<string, number> = {};
  #entries = 0;
  /** Features of the last one that was read, itself included, that have values. */
  #open: XmlElement[] = [];
  readonly #rows = new Set<XmlElement>();

  /** Counts the values of a feature and of those in it. */
  read(feature: XmlElement): void {
    this.#settle();
    const pending = [feature];
    for (let inner = pending.pop(); inner !== undefined; inner = pending.pop()) {
      let count = 0;
      const onValue = (owner: string, property: string) => {
        count++;
        this.#entry(owner, property).in++;
      };
      eachValue(inner, onValue, (child) => pending.push(child));
      if (count > 0) this.#open.push(inner);
    }
  }

  /** Begins the row of a feature; false when it has one already, in another output, whose values are counted. */
  beginRow(feature: XmlElement): boolean {
    if (this.#rows.has(feature)) return false;
    this.#rows.add(feature);
    return true;
  }

  /** What became of a value. `hasText`: its row has the text of all attributes. */
  value(owner: string, property: string, fate: ValueFate, hasText: boolean): void {
    const entry = this.#entry(owner, property);
    if (fate === 'COLUMN') entry.out++;
    else addTo(entry.rest, fate, 1);
    if (hasText && IN_TEXT.has(fate)) entry.expected++;
  }

  /** Values that the text of all attributes has. */
  told(owner: string, property: string, count: number): void {
    this.#entry(owner, property).told += count;
  }

  /** The cells of a row; `times`: of so many records. */
  row(columns: ReadonlyArray<{ name: string }>, times = 1): void {
    for (const { name } of columns) this.#cell(name).in += times;
  }

  /** A cell of a row. */
  rowCell(name: string): void {
    this.#cell(name).in++;
  }

  /** Cells of rows that a table has. */
  stored(name: string, count: number): void {
    this.#cell(name).out += count;
  }

  /** The cell of a row that no table has. */
  lostCell(name: string, code: string): void {
    this.#cell(name).rest++;
    addTo(this.#restOfCells, code, 1);
  }

  finish(): PartAttributes {
    this.#settle();
    const cells: Tally = { ...emptyTally(), rest: this.#restOfCells };
    const missing: Record<string, number> = {};
    for (const [name, cell] of this.#cells) {
      // Where a feature lies are columns of tiles, not of rows.
      if (cell.in === 0) continue;
      cells.in += cell.in;
      cells.out += cell.out;
      const gap = cell.in - cell.out - cell.rest;
      // A tile says by names of its own where a feature lies.
      if (gap > 0 || (gap < 0 && !name.startsWith('_'))) missing[name] = gap;
    }
    const entries = [...this.#byOwner.values()].flatMap((byName) => [...byName.values()]);
    for (const { type, property, expected, told: reported } of entries)
      if (reported < expected) missing[`attributes: ${type} ${property}`] = expected - reported;
    const values = entries.map(({ expected: _e, told: _t, ...tally }) => tally);
    return { values: values.filter((tally) => tally.in > 0 || tally.out > 0), cells, missing };
  }

  /** Values of features without a row, parts and surfaces for the most part. */
  #settle(): void {
    for (const feature of this.#open) {
      if (this.#rows.has(feature)) continue;
      eachValue(feature, (owner, property, element) =>
        this.value(owner, property, unusedAs(owner, element, 'WITHOUT_ROW'), false),
      );
    }
    this.#open = [];
    this.#rows.clear();
  }

  #cell(name: string): { in: number; out: number; rest: number } {
    let cell = this.#cells.get(name);
    if (cell === undefined) {
      cell = { in: 0, out: 0, rest: 0 };
      this.#cells.set(name, cell);
    }
    return cell;
  }

  #entry(owner: string, property: string): Entry {
    if (owner !== this.#owner) {
      this.#owner = owner;
      this.#ofOwner = this.#byOwner.get(owner);
    }
    let byName = this.#ofOwner;
    let entry = byName?.get(property);
    if (entry !== undefined) return entry;
    if (this.#entries >= MOST_ENTRIES && owner !== OTHERS) return this.#entry(OTHERS, OTHERS);
    if (byName === undefined) {
      byName = new Map();
      this.#byOwner.set(owner, byName);
      this.#ofOwner = byName;
    }
    this.#entries++;
    entry = { type: owner, property, in: 0, out: 0, rest: {}, expected: 0, told: 0 };
    byName.set(property, entry);
    return entry;
  }
}

const OTHERS = 'others';

/** The fate of a value that is no column, of which `otherwise` holds where it has a text. */
function unusedAs(owner: string, element: XmlElement, otherwise: ValueFate): ValueFate {
  const content = contentOf(owner, element);
  return content === 'text' ? otherwise : content === 'empty' ? 'EMPTY' : 'REFERENCE';
}

/** Fates of the values of one row. */
export class RowValues {
  readonly #account: AttributeAccount;
  readonly #hasText: boolean;

  /** `hasText`: the row has the text of all attributes. */
  constructor(account: AttributeAccount, hasText: boolean) {
    this.#account = account;
    this.#hasText = hasText;
  }

  note(owner: string, property: string, fate: ValueFate): void {
    this.#account.value(owner, property, fate, this.#hasText);
  }

  /** Values of an attribute object, or of a property with objects, that are no columns. */
  leaveObject(object: XmlElement): void {
    eachValue(object, this.#leave);
  }

  leaveProperty(owner: string, property: XmlElement): void {
    eachValueOf(owner, property, this.#leave);
  }

  readonly #leave: OnValue = (owner, property, element) =>
    this.note(owner, property, unusedAs(owner, element, this.#hasText ? 'IN_JSON' : 'LEFT_OUT'));

  /** Told by the text of all attributes. */
  readonly told = (owner: string, property: string, count: number): void =>
    this.#account.told(owner, property, count);
}
