/** The formats of features. A new one is a file beside this one, its facts in `format-facts.ts` and a line here. */
import { CITYJSONSEQ_FORMAT } from './cityjsonseq-format.ts';
import { CSV_FORMAT } from './csv-format.ts';
import { FLATGEOBUF_FORMAT } from './flatgeobuf-format.ts';
import type { FeatureFormat } from './format.ts';
import { FORMAT_FACTS, type FormatName } from './format-facts.ts';
import { GEOJSON_FORMAT } from './geojson-format.ts';
import { GEOPARQUET_FORMAT } from './geoparquet-format.ts';
import { JSON_FORMAT } from './json-format.ts';

const FORMAT_OF: Record<FormatName, FeatureFormat> = {
  json: JSON_FORMAT,
  geojson: GEOJSON_FORMAT,
  cityjsonseq: CITYJSONSEQ_FORMAT,
  flatgeobuf: FLATGEOBUF_FORMAT,
  geoparquet: GEOPARQUET_FORMAT,
  csv: CSV_FORMAT,
};

/** In the order of the facts; the first is the default. */
export const FORMATS: readonly FeatureFormat[] = Object.keys(FORMAT_FACTS).map(
  (name) => FORMAT_OF[name as FormatName],
);

/** The format of this name, if there is one. */
export function formatNamed(name: string): FeatureFormat | undefined {
  return Object.hasOwn(FORMAT_OF, name) ? FORMAT_OF[name as FormatName] : undefined;
}
