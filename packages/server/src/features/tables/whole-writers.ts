/**
 * Answers about whole packages, made of their tables: every column is known before the first feature is read, so that
 * nothing waits for the last one.
 */
import { csvHead, csvLine } from '../formats/csv-format.ts';
import { flattenAttributes } from '../formats/flatten-attributes.ts';
import type { FormatName } from '../formats/format-facts.ts';
import { type Pieces, propertiesOf, type WholeAnswer, wanted } from './whole-answer.ts';
import { flatGeobufPieces } from './whole-flatgeobuf.ts';

/** Bytes of an answer that are sent together. */
const PIECE = 64 * 1024;

/** Formats that tables can be answered in. */
export const WHOLE_WRITERS: Partial<Record<FormatName, (answer: WholeAnswer) => Pieces>> = {
  csv: csvPieces,
  flatgeobuf: flatGeobufPieces,
  geojson: geojsonPieces,
};

async function* csvPieces({ columns, fields, features }: WholeAnswer): Pieces {
  // As the format has it: without what is said of a footprint.
  const used = wanted(columns, fields).filter(({ key }) => !key.startsWith('footprint'));
  const names = used.map(({ name }) => name);
  let text = csvHead(names);
  for await (const batch of features()) {
    for (const feature of batch) {
      const cells = flattenAttributes(propertiesOf(feature, fields));
      text += csvLine(names.map((name) => cells.get(name) ?? null));
    }
    if (text.length < PIECE) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

async function* geojsonPieces({ fields, flatten, features }: WholeAnswer): Pieces {
  let text = '{"type":"FeatureCollection","features":[';
  let between = '';
  for await (const batch of features()) {
    for (const feature of batch) {
      const { attributes, geometry } = feature;
      const id = attributes['gml:id'];
      const own = propertiesOf(feature, fields);
      const properties = flatten ? Object.fromEntries(flattenAttributes(own)) : own;
      const named = typeof id === 'string' ? { id } : {};
      text += between + JSON.stringify({ type: 'Feature', ...named, geometry, properties });
      between = ',';
    }
    if (text.length < PIECE) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]}`);
}
