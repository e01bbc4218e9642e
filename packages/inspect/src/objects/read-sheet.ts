/** Rows of one sheet of a spreadsheet (ECMA-376, part 1, section 18.3), read as they go by. */

import { type RangedSource, readMember, readZipDirectory, type ZipEntry, ZipRefused } from '@citymodel/zip';
import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** The file is no spreadsheet, or has no such sheet. */
export class SheetRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SheetRefused';
  }
}

/** Uncompressed bytes of one part; the official sheet has 14 MB. */
const MAX_PART = 256 << 20;
/** Shared strings, and characters of all cells. */
const MAX_STRINGS = 2_000_000;
const MAX_ROWS = 1_048_576;

/** Texts of the cells of a row by column letter; empty cells are absent. */
export type SheetRow = ReadonlyMap<string, string>;

/** Shows the rows of the sheet of a name in their order. Throws SheetRefused, and what reading the file throws. */
export async function readSheet(
  source: RangedSource,
  name: string,
  see: (row: SheetRow) => void,
): Promise<void> {
  const entries = await entriesOf(source);
  const part = (path: string) => entries.get(path) ?? null;
  const workbook = part('xl/workbook.xml');
  const relations = part('xl/_rels/workbook.xml.rels');
  if (workbook === null || relations === null) throw new SheetRefused('The file is no xlsx spreadsheet.');
  let id: string | null = null;
  const names: string[] = [];
  await parse(source, workbook, {
    open({ name: tag, attributes }) {
      if (local(tag) !== 'sheet') return;
      names.push(attributes.name ?? '');
      if (attributes.name === name) id = attributes['r:id'] ?? null;
    },
  });
  if (id === null) {
    throw new SheetRefused(
      `The file has no sheet ${name}; it has ${names.slice(0, 20).join(', ') || 'none'}.`,
    );
  }
  let target: string | null = null;
  await parse(source, relations, {
    open({ attributes }) {
      if (attributes.Id === id) target = attributes.Target ?? null;
    },
  });
  const sheet = target === null ? null : part(pathOf(target));
  if (sheet === null) throw new SheetRefused(`The sheet ${name} is missing in the file.`);
  const shared = part('xl/sharedStrings.xml');
  await readRows(source, sheet, shared === null ? [] : await sharedStrings(source, shared), see);
}

async function entriesOf(source: RangedSource): Promise<Map<string, ZipEntry>> {
  try {
    const directory = await readZipDirectory(source);
    return new Map(Array.from(directory.entries(), (entry) => [entry.name, entry]));
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    throw new SheetRefused(`The file is no xlsx spreadsheet: ${error.message}`);
  }
}

function pathOf(target: string): string {
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

async function sharedStrings(source: RangedSource, entry: ZipEntry): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let phonetic = 0;
  let isText = false;
  await parse(source, entry, {
    open({ name }) {
      const tag = local(name);
      if (tag === 'si') text = '';
      else if (tag === 'rPh') phonetic++;
      isText = tag === 't' && phonetic === 0;
    },
    text(part) {
      if (isText) text += part;
    },
    close(name) {
      const tag = local(name);
      isText = false;
      if (tag === 'rPh') phonetic--;
      if (tag !== 'si') return;
      if (strings.length >= MAX_STRINGS)
        throw new SheetRefused(`The file has more than ${MAX_STRINGS} texts.`);
      strings.push(text);
    },
  });
  return strings;
}

async function readRows(
  source: RangedSource,
  entry: ZipEntry,
  shared: readonly string[],
  see: (row: SheetRow) => void,
): Promise<void> {
  let row = new Map<string, string>();
  let rows = 0;
  let [column, kind, text] = ['', '', ''];
  let isText = false;
  await parse(source, entry, {
    open({ name, attributes }) {
      const tag = local(name);
      if (tag === 'row') row = new Map();
      else if (tag === 'c') {
        column = /^[A-Z]+/.exec(attributes.r ?? '')?.[0] ?? '';
        kind = attributes.t ?? '';
        text = '';
      }
      isText = tag === 'v' || tag === 't';
    },
    text(part) {
      if (isText) text += part;
    },
    close(name) {
      const tag = local(name);
      isText = false;
      if (tag === 'c' && text !== '') row.set(column, kind === 's' ? (shared[Number(text)] ?? '') : text);
      if (tag !== 'row') return;
      if (++rows > MAX_ROWS) throw new SheetRefused(`The sheet has more than ${MAX_ROWS} rows.`);
      see(row);
    },
  });
}

interface Handlers {
  open?(tag: SaxesTagPlain): void;
  text?(part: string): void;
  close?(name: string): void;
}

/** Document types are refused; entities other than the predefined ones are faults. */
async function parse(source: RangedSource, entry: ZipEntry, { open, text, close }: Handlers): Promise<void> {
  if (entry.size > MAX_PART) throw new SheetRefused(`${entry.name} has more than ${MAX_PART} bytes.`);
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new SheetRefused(`${entry.name} is not well-formed: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw new SheetRefused(`${entry.name} has a document type.`);
  });
  parser.on('opentag', (tag) => open?.(tag));
  parser.on('text', (part) => text?.(part));
  parser.on('closetag', ({ name }) => close?.(name));
  const decoder = new TextDecoder();
  for await (const chunk of readMember(source, entry)) parser.write(decoder.decode(chunk, { stream: true }));
  parser.write(decoder.decode()).close();
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
