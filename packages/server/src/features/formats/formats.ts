/** The formats of features. A new one is a file beside this one, its facts in `format-facts.ts` and a line here. */
import { CITYJSONSEQ_FORMAT } from './cityjsonseq-format.ts';
import { CSV_FORMAT } from './csv-format.ts';
import { FLATGEOBUF_FORMAT } from './flatgeobuf-format.ts';
import type { FeatureFormat } from './format.ts';
import { GEOJSON_FORMAT } from './geojson-format.ts';
import { JSON_FORMAT } from './json-format.ts';

/** The first is the default. */
export const FORMATS: readonly FeatureFormat[] = [
  JSON_FORMAT,
  GEOJSON_FORMAT,
  CITYJSONSEQ_FORMAT,
  FLATGEOBUF_FORMAT,
  CSV_FORMAT,
];

const byName = new Map(FORMATS.map((format) => [format.name, format]));

/** The format of this name, if there is one. */
export function formatNamed(name: string): FeatureFormat | undefined {
  return byName.get(name);
}
