/** Nested attributes as the columns of a table. */

/** A value that a table can hold. */
export type Cell = string | number | boolean | null;

/** Objects of a list whose values keep their positions; of longer lists missing values leave no gap. */
const MAX_ALIGNED = 100;
const BETWEEN = '; ';

/**
 * The columns of one feature, in the order of its attributes:
 *
 * - An attribute with one value is a column of its name.
 * - The attributes of an object get the object's name and a full stop before theirs: `uro:a.uro:b`.
 * - Values of a list are joined with `; `; a list of one value is that value. Of a list of objects, each attribute is
 *   such a list, with an empty place for an object that lacks it.
 * - A generic attribute is a column of its own name: `gen:genericAttribute.name`, its unit with `_uom`, its code
 *   with `_code` behind it.
 */
export function flattenAttributes(attributes: Readonly<Record<string, unknown>>): Map<string, Cell> {
  const columns = new Map<string, Cell>();
  addObject(columns, '', attributes);
  return columns;
}

function addObject(columns: Map<string, Cell>, prefix: string, object: object): void {
  for (const [key, value] of Object.entries(object)) addValue(columns, prefix + key, value);
}

function addValue(columns: Map<string, Cell>, name: string, value: unknown): void {
  if (!Array.isArray(value)) {
    if (typeof value === 'object' && value !== null) addObject(columns, `${name}.`, value);
    else if (value !== undefined) columns.set(name, value as Cell);
  } else if (name.endsWith('gen:genericAttribute')) {
    addGeneric(columns, `${name}.`, value);
  } else if (value.some((item) => typeof item === 'object' && item !== null)) {
    addObjects(columns, name, value);
  } else if (value.length > 0) {
    columns.set(name, joined(value as Cell[]));
  }
}

function addObjects(columns: Map<string, Cell>, name: string, items: readonly unknown[]): void {
  const lists = new Map<string, Cell[]>();
  for (const [i, item] of items.entries()) {
    const own = new Map<string, Cell>();
    addValue(own, name, item);
    for (const [key, cell] of own) {
      const list = lists.get(key) ?? [];
      lists.set(key, list);
      if (items.length <= MAX_ALIGNED) while (list.length < i) list.push(null);
      list.push(cell);
    }
  }
  for (const [key, list] of lists) {
    if (items.length <= MAX_ALIGNED) while (list.length < items.length) list.push(null);
    columns.set(key, joined(list));
  }
}

interface GenericMember {
  name: string;
  value: unknown;
  code?: string;
  uom?: string;
}

function addGeneric(columns: Map<string, Cell>, prefix: string, items: readonly unknown[]): void {
  const lists = new Map<string, Cell[]>();
  const add = (key: string, cell: Cell) => {
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [cell]);
    else list.push(cell);
  };
  const visit = (before: string, members: readonly unknown[]) => {
    for (const member of members as readonly GenericMember[]) {
      const key = before + member.name;
      if (Array.isArray(member.value)) visit(`${key}.`, member.value);
      else add(key, member.value as Cell);
      if (member.code !== undefined) add(`${key}_code`, member.code);
      if (member.uom !== undefined) add(`${key}_uom`, member.uom);
    }
  };
  visit(prefix, items);
  for (const [key, list] of lists) columns.set(key, joined(list));
}

function joined(list: readonly Cell[]): Cell {
  return list.length === 1 ? list[0]! : list.map((cell) => cell ?? '').join(BETWEEN);
}
