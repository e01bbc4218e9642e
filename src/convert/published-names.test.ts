/** Every name of the published tiles at hand is among those of ours, and every value, but for what docs/converting.md lists. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { DATA, unzip } from '../citygml/testing/published.ts';
import { gmlSources } from './read/testing/gml-source.ts';
import { convertGml } from './tiles3d/testing/convert-gml.ts';
import { readTiles } from './tiles3d/testing/read-tiles.ts';
import { contentOf, makeVectorTiles } from './vector/testing/made-tiles.ts';

type Row = Record<string, unknown>;

const DOCUMENT = new URL('../../docs/converting.md', import.meta.url);
/** What places are rounded by, degrees; heights of them, metres; other numbers. */
const ROUNDED = { degrees: 1e-8, metres: 0.0006, others: 1e-9 };

/** Columns in the table of differences. */
function documented(): Set<string> {
  const [, section] = readFileSync(DOCUMENT, 'utf8').split('## What differs from published tiles');
  const table = section!.split('\n## ')[0]!;
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return new Set(
    rows.flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
  );
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

const isThere = (value: unknown) => value !== null && value !== undefined && String(value).trim() !== '';

function isSame(name: string, one: unknown, other: unknown): boolean {
  const most = name.startsWith('_z')
    ? ROUNDED.metres
    : /^_[xy]/.test(name)
      ? ROUNDED.degrees
      : ROUNDED.others;
  if (typeof one === 'number' && typeof other === 'number') return Math.abs(one - other) <= most;
  return one === other;
}

test('published names and values are among ours', { skip: !existsSync(DATA) }, async () => {
  const known = documented();
  const met = new Set<string>();
  const found: string[] = [];
  let compared = 0;
  for (const zip of globSync(`${DATA}conversion/*/*.zip`)) {
    const published = globSync(zip.replace(/[^/]*$/, 'published/*.zip'));
    // What upstream made of CityGML 3.0 is not what is published.
    if (published.length === 0 || zip.includes('/v3-')) continue;
    const sources = await gmlSources(zip);
    const packages = new Map<string, Map<string, Uint8Array>>([
      ...(await convertGml(sources)).packages,
      ...(await makeVectorTiles(sources)).packages,
    ]);
    for (const path of published) {
      const suffix = basename(path, '.zip').slice(basename(zip, '.zip').length + 1);
      const ours = packages.get(suffix);
      assert.ok(ours !== undefined, `${suffix} is not among ${[...packages.keys()]}`);
      const own = await rowsOf(ours, suffix);
      for (const [layer, rows] of await rowsOf(await unzip(path, /./), suffix)) {
        const layerOf = own.get(layer);
        assert.ok(layerOf !== undefined, `${suffix} has no layer ${layer}`);
        const columns = new Set(layerOf.flatMap((row) => Object.keys(row)));
        const byId = new Map(layerOf.map((row) => [row.gml_id, row]));
        for (const row of rows) {
          for (const [name, value] of Object.entries(row)) {
            // Our sources here have one name for all municipalities, and `attributes` is compared with the interface.
            if (!isThere(value) || name === 'city_name' || name === 'attributes') continue;
            const match = byId.get(row.gml_id);
            const isRight = columns.has(name) && (match === undefined || isSame(name, value, match[name]));
            compared++;
            if (isRight) continue;
            if (known.has(name)) met.add(name);
            else found.push(`${suffix} ${layer} ${row.gml_id} ${name}: ${value}, ours ${match?.[name]}`);
          }
        }
      }
    }
  }
  assert.deepEqual(found.slice(0, 20), []);
  assert.ok(compared > 5_000, `${compared} values were compared`);
  assert.deepEqual(
    [...known].filter((name) => !met.has(name)),
    [],
    'differences that are no more',
  );
});
