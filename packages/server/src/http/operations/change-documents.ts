/** Differences of two editions as a table and as GeoJSON. */
import type { NamedValue } from '../../changes/attribute-values.ts';
import type { Appearance, Change, Difference, SizeChange } from '../../changes/difference.ts';
import { csvHead, csvLine } from '../../features/formats/csv-format.ts';

const COLUMNS = [
  'change',
  'type',
  'gml:id',
  'gml:id before',
  'matched by',
  'longitude',
  'latitude',
  'moved by (m)',
  'height before (m)',
  'height (m)',
  'footprint before (m2)',
  'footprint (m2)',
  'volume before (m3)',
  'volume (m3)',
  'LODs before',
  'LODs',
  'attributes',
];

/** One table (RFC 4180), a line for each feature, with a byte order mark for spreadsheets. */
export async function* csvOfDifferences(pages: AsyncIterable<Difference[]>): AsyncGenerator<string> {
  yield csvHead(COLUMNS);
  for await (const page of pages) yield page.map((difference) => csvLine(cellsOf(difference))).join('');
}

/** A FeatureCollection (RFC 7946) of footprints; of features without an area, points in their middle. */
export async function* geoJsonOfDifferences(pages: AsyncIterable<Difference[]>): AsyncGenerator<string> {
  let before = '{"type":"FeatureCollection","features":[';
  for await (const page of pages) {
    for (const { bounds, centre, outline = null, ...properties } of page) {
      const feature = {
        type: 'Feature',
        ...(bounds === null ? {} : { bbox: bounds }),
        geometry: outline ?? (centre === null ? null : { type: 'Point', coordinates: centre }),
        properties,
      };
      yield `${before}\n${JSON.stringify(feature)}`;
      before = ',';
    }
  }
  yield before === ',' ? '\n]}\n' : `${before}]}\n`;
}

type Cell = string | number | null;

function cellsOf(difference: Difference): Cell[] {
  const { change, type, id, centre } = difference;
  const place = centre ?? [null, null];
  if (difference.change === 'changed') return [change, type, id, ...changeCells(difference, place)];
  return [change, type, id, ...appearanceCells(difference, place)];
}

function changeCells({ fromId, matchedBy, attributes, geometry }: Change, place: Cell[]): Cell[] {
  const sizes = (size: SizeChange | undefined): Cell[] => [size?.from ?? null, size?.to ?? null];
  return [
    fromId,
    matchedBy,
    ...place,
    geometry?.movedBy ?? null,
    ...sizes(geometry?.height),
    ...sizes(geometry?.footprintArea),
    ...sizes(geometry?.volume),
    geometry?.lods.from.join(' ') ?? null,
    geometry?.lods.to.join(' ') ?? null,
    attributes.map(({ name, from, to }) => `${name}: ${wordsOf(from)} → ${wordsOf(to)}`).join('; '),
  ];
}

/** What was removed has its sizes before, what was added has them now. */
function appearanceCells({ change, height, footprintArea, volume, lods }: Appearance, place: Cell[]): Cell[] {
  const sided = (value: Cell): Cell[] => (change === 'removed' ? [value, null] : [null, value]);
  return [
    null,
    null,
    ...place,
    null,
    ...sided(height),
    ...sided(footprintArea),
    ...sided(volume),
    ...sided(lods.join(' ')),
    null,
  ];
}

function wordsOf(named: NamedValue | undefined): string {
  if (named === undefined) return '–';
  const { value, label } = named;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return label === undefined ? text : `${label} (${text})`;
}
