/** Names and values of published packages of tiles beside those that are made of the same CityGML. */

import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { compareTexts } from '@citymodel/base';
import { unzip } from '@citymodel/citygml/testing';
import { gmlSources } from '../read/testing/gml-source.ts';
import { convertGml } from '../tiles3d/testing/convert-gml.ts';
import { readTiles } from '../tiles3d/testing/read-tiles.ts';
import { contentOf, makeVectorTiles } from '../vector/testing/made-tiles.ts';

type Row = Record<string, unknown>;

/** A column of a layer of a package. */
export interface ComparedColumn {
  /** End of the name of the package: `bldg_3dtiles_lod1`. */
  package: string;
  /** Layer of vector tiles; empty for 3D Tiles. */
  layer: string;
  name: string;
  /** Published rows with a value, those of ours, and published ones whose value is that of the feature in ours. */
  published: number;
  ours: number;
  equal: number;
  /**
   * Published rows whose feature ours do not have by its gml:id, such as depths of water: only names can be compared.
   */
  unmatched: number;
  /** The first value that differs. */
  different: { id: unknown; published: unknown; ours: unknown } | null;
}

/** What is missing as a whole. */
export interface Missing {
  package: string;
  /** Null where ours lack the package. */
  layer: string | null;
}

/** Our sources here have one name for all municipalities, and `attributes` is compared with the interface. */
const NOT_COMPARED = new Set(['city_name', 'attributes']);
/** What places are rounded by, degrees; heights of them, metres; other numbers. */
const ROUNDED = { degrees: 1e-8, metres: 0.0006, others: 1e-9 };

/**
 * Compares what was published of a CityGML package, `published/*.zip` beside it, with what is made of it. Columns are
 * in the order of packages, layers and names.
 */
export async function comparePublished(
  zip: string,
): Promise<{ columns: ComparedColumn[]; missing: Missing[] }> {
  const result: { columns: ComparedColumn[]; missing: Missing[] } = { columns: [], missing: [] };
  const published = globSync(zip.replace(/[^/]*$/, 'published/*.zip')).sort();
  if (published.length === 0) return result;
  const sources = await gmlSources(zip);
  const packages = new Map<string, Map<string, Uint8Array>>([
    ...(await convertGml(sources)).packages,
    ...(await makeVectorTiles(sources)).packages,
  ]);
  for (const path of published) {
    const suffix = basename(path, '.zip').slice(basename(zip, '.zip').length + 1);
    const tilesOfOurs = packages.get(suffix);
    if (tilesOfOurs === undefined) {
      result.missing.push({ package: suffix, layer: null });
      continue;
    }
    const own = await rowsOf(tilesOfOurs, suffix);
    for (const [layer, rows] of await rowsOf(await unzip(path, /./), suffix)) {
      const ours = own.get(layer);
      if (ours === undefined) result.missing.push({ package: suffix, layer });
      else result.columns.push(...compareRows({ package: suffix, layer }, rows, ours));
    }
  }
  return result;
}

function compareRows(
  place: Pick<ComparedColumn, 'package' | 'layer'>,
  published: readonly Row[],
  ours: readonly Row[],
): ComparedColumn[] {
  const columns = new Map<string, ComparedColumn>();
  const columnOf = (name: string) => {
    let column = columns.get(name);
    if (column === undefined) {
      column = { ...place, name, published: 0, ours: 0, equal: 0, unmatched: 0, different: null };
      columns.set(name, column);
    }
    return column;
  };
  for (const row of ours) for (const name of filled(row)) columnOf(name).ours++;
  const byId = new Map(ours.map((row) => [row.gml_id, row]));
  for (const row of published) {
    const match = byId.get(row.gml_id);
    for (const name of filled(row)) {
      const column = columnOf(name);
      column.published++;
      if (match === undefined) column.unmatched++;
      else if (isSame(name, row[name], match[name])) column.equal++;
      else column.different ??= { id: row.gml_id, published: row[name], ours: match[name] };
    }
  }
  return [...columns.values()].sort((a, b) => compareTexts(a.name, b.name));
}

/** True where a column is as it was published: the name is there, and all values that can be compared are equal. */
export function isAsPublished({ published, ours, different }: ComparedColumn): boolean {
  return published === 0 || (ours > 0 && different === null);
}

/** Rows by layer; all those of a tileset are one. */
async function rowsOf(files: Map<string, Uint8Array>, suffix: string): Promise<Map<string, Row[]>> {
  if (suffix.includes('3dtiles')) {
    const features = (await readTiles(files)).filter(({ isLeaf, refine }) => isLeaf || refine === 'ADD');
    return new Map([['', features.flatMap((tile) => tile.features.map(({ row }) => row as Row))]]);
  }
  return new Map(
    Array.from(contentOf(files, 16), ([name, layer]) => [name, [...layer.features.values()] as Row[]]),
  );
}

function filled(row: Row): string[] {
  return Object.keys(row).filter((name) => {
    const value = row[name];
    return value !== null && value !== undefined && String(value).trim() !== '' && !NOT_COMPARED.has(name);
  });
}

function isSame(name: string, one: unknown, other: unknown): boolean {
  const most = name.startsWith('_z')
    ? ROUNDED.metres
    : /^_[xy]/.test(name)
      ? ROUNDED.degrees
      : ROUNDED.others;
  if (typeof one === 'number' && typeof other === 'number') return Math.abs(one - other) <= most;
  return one === other;
}
