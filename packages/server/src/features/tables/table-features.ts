/** Features of a table as operation 11 answers them, with their geometry as GeoJSON. */
import type { Slices } from '@citymodel/base';
import { boundingBox } from '@citymodel/citygml';
import type { Extent } from '@citymodel/geo';
import type { RangedSource } from '@citymodel/zip';
import type { Geometry } from 'geojson';
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { joinAttributes, type Remainder } from './attribute-columns.ts';
import { EXTENT_COLUMNS, extentOf } from './short-extent.ts';
import { withDecimals } from './short-positions.ts';
import { type ColumnGroup, readColumns, type TableFoot } from './table-reader.ts';

export interface TableFeature {
  /** With `_bbox`. */
  readonly attributes: Record<string, unknown>;
  /** `height`, `minAlt`, `maxAlt`, and what is said of a footprint that was not dissolved. */
  readonly drawn: Record<string, unknown>;
  /** Null also where it was not asked for. */
  readonly geometry: Geometry | null;
  /** True where an earlier feature of the package has its gml:id. */
  readonly isRepeated: boolean;
  /** The file that it is of. */
  readonly path: string;
}

const DRAWN = ['height', 'minAlt', 'maxAlt', 'footprintDissolved', 'footprintPolygonsLeftOut'] as const;
/** Features that are made in one turn. */
const ROWS = 256;

/** The features in the order of the table, some at a time. */
export async function* tableFeatures(
  source: RangedSource,
  foot: TableFoot,
  { hasGeometry }: { hasGeometry: boolean },
  slices: Slices,
): AsyncGenerator<TableFeature[], void, void> {
  const { columns } = foot.facts;
  const names = [
    ...columns.map(({ name }) => name),
    ...new Set([...DRAWN, ...EXTENT_COLUMNS]),
    'repeated',
    'gml_file',
    'remainder',
  ];
  for await (const group of readColumns(source, foot, names, slices)) {
    const attributes = columns.map(({ name }) => group.columns.get(name));
    const value = valueIn(group);
    for (let from = 0; from < group.size; from += ROWS) {
      const features: TableFeature[] = [];
      for (let n = from; n < Math.min(group.size, from + ROWS); n++) {
        const rest = (value('remainder', n) ?? []) as readonly Remainder[];
        const own = joinAttributes(columns, (column) => attributes[column]?.[n], rest);
        features.push({
          attributes: withBox(
            own,
            extentOf((name) => value(name, n)),
          ),
          drawn: Object.fromEntries(
            DRAWN.map((name) => [name, value(name, n)]).filter(([, one]) => one !== null),
          ),
          geometry: hasGeometry ? geometryOf(value('geometry', n) as Uint8Array | null) : null,
          isRepeated: value('repeated', n) === true,
          path: value('gml_file', n) as string,
        });
      }
      yield features;
      if (slices.due()) await slices.pause();
    }
  }
}

function geometryOf(wkb: Uint8Array | null): Geometry | null {
  if (wkb === null) return null;
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
  return withDecimals(wkbToGeojson({ view, offset: 0 }));
}

function valueIn({ columns }: ColumnGroup): (name: string, row: number) => unknown {
  return (name, row) => columns.get(name)?.[row] ?? null;
}

/** `_bbox` stands behind the type. */
function withBox(attributes: Record<string, unknown>, extent: Extent | null): Record<string, unknown> {
  if (extent === null) return attributes;
  const { 'gml:id': id, _type, ...rest } = attributes;
  return { ...(id === undefined ? {} : { 'gml:id': id }), _type, _bbox: boundingBox(extent), ...rest };
}
