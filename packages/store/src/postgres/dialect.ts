import type { CustomTypesConfig } from 'pg';
import type { SqlParam, SqlValue } from '../sql/driver.ts';

/** OIDs of pg_type, which are the same in every PostgreSQL. */
const BIGINT = 20;
const INTEGERS = new Set([21, 23, 26]);
const NUMERIC = 1700;
const FLOATS = new Set([700, 701]);

/** PostgreSQL's form of the notations in `sql/driver.ts`. */
export function toPostgres(sql: string): string {
  const translated = sql
    // One that an index can answer for each value; a join would read the table first.
    .replace(/\bIN \(SELECT value FROM each_text\((\$\d+)\)\)/g, '= ANY ($1::text[])')
    .replace(/\bIN \(SELECT value FROM each_int\((\$\d+)\)\)/g, '= ANY ($1::bigint[])')
    .replace(/each_text\((\$\d+)\)/g, 'unnest($1::text[]) AS each_text(value)')
    .replace(/each_int\((\$\d+)\)/g, 'unnest($1::bigint[]) AS each_int(value)')
    .replaceAll('clock_us()', 'CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)')
    .replaceAll('clock_ms()', 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)')
    .replace(/COLLATE BINARY/g, 'COLLATE "C"');
  // Every text is compared by its bytes, as SQLite does, whatever the database was created with.
  return /^\s*(CREATE|ALTER) TABLE\b/i.test(translated)
    ? translated.replace(/\bTEXT\b(?! COLLATE)/g, 'TEXT COLLATE "C"')
    : translated;
}

/**
 * The text of a parameter, arrays in the form `{"…","…"}`. PostgreSQL's texts hold no NUL and no half of a surrogate
 * pair: both become U+FFFD, when written and when searched for alike.
 */
export function toText(param: SqlParam): string | null {
  if (typeof param === 'string') return storable(param);
  if (typeof param === 'number') return String(param);
  if (param === null) return null;
  const items = param.map((value: string | number) =>
    typeof value === 'number' ? String(value) : `"${storable(value).replace(/[\\"]/g, '\\$&')}"`,
  );
  return `{${items.join(',')}}`;
}

/** Rows for `json_populate_recordset`: an array of objects, as text. */
export function toJsonRows(columns: readonly string[], rows: ReadonlyArray<readonly SqlValue[]>): string {
  const names = columns.map((column) => `${JSON.stringify(column)}:`);
  const objects = rows.map((row) => {
    const members = row.map((value, i) => {
      const text = typeof value === 'string' ? JSON.stringify(storable(value)) : jsonNumber(value);
      return names[i] + text;
    });
    return `{${members.join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}

/** How columns become values, for `pg`. Throws a RangeError for a number that JavaScript cannot hold exactly. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number) => parserOf(oid)) as CustomTypesConfig['getTypeParser'],
};

/** What makes the value of a column of one type from its text. */
export function parserOf(oid: number): (text: string) => SqlValue {
  if (oid === BIGINT || oid === NUMERIC) return exactNumber;
  if (INTEGERS.has(oid) || FLOATS.has(oid)) return Number;
  return asItIs;
}

function exactNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`the database has the number ${text}, which is beyond 53 bits`);
  }
  return number;
}

function asItIs(text: string): string {
  return text;
}

function jsonNumber(value: number | null): string {
  if (value !== null && !Number.isFinite(value)) throw new RangeError(`${value} cannot be stored`);
  return String(value);
}

function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed();
}
