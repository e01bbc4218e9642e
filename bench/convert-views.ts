/**
 * How much a viewer loads of converted tiles: tiles, bytes and the memory of textures at 1920 × 1080 as CesiumJS chooses tiles by default,
 * from several distances. Of a real package, and of a made-up ward as dense as the middle of Tokyo, whose conversion is timed.
 *
 *   node bench/convert-views.ts [--meshes 4] [--buildings 2500] [--image 384] [zips of CityGML packages]
 *
 * `--image`: pixels across the image of a building; 384 are 12 cm on a house, 288 are 16, as real ones have.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readSettings } from '../src/base/settings.ts';
import { unzip } from '../src/citygml/testing/published.ts';
import { convertFiles } from '../src/cli/convert.ts';
import type { Region } from '../src/geo/bounding-volume.ts';
import { readGlb } from '../src/tiles/tile-content.ts';
import type { Tileset } from '../src/tiles/tileset.ts';
import { writeDenseWard } from './support/dense-ward.ts';
import { Results } from './support/table.ts';
import { selectTiles, type View } from './support/tile-selection.ts';

const OSAKA = join(
  import.meta.dirname,
  '../../shared/data/packages/27100_osaka-shi_city_2022_citygml_3_op.zip',
);
/** Third meshes in the middle of Tokyo. */
const MESHES = ['53394525', '53394526', '53394535', '53394536', '53394527', '53394537'];
/** Smaller packages have few tiles anyway. */
const LEAST_BYTES = 1_000_000;
const DISTANCES = [300, 500, 700, 1_000, 3_500, 10_000, 30_000];

/** Clockwise from north, and below the horizon, degrees: the first of each is where tiles are counted. */
const HEADINGS = [20, 65, 110, 200, 290];
const PITCHES = [35, 20, 60, 90];

const { values, positionals } = parseArgs({
  options: {
    meshes: { type: 'string', default: '4' },
    buildings: { type: 'string', default: '2500' },
    image: { type: 'string', default: '384' },
  },
  allowPositionals: true,
});
const directory = mkdtempSync(join(tmpdir(), 'citymodel-bench-'));
try {
  const ward = join(directory, '13104_shinjuku-ku_city_2023_citygml_1_op.zip');
  await writeDenseWard(ward, {
    meshes: MESHES.slice(0, Number(values.meshes)),
    buildingsPerMesh: Number(values.buildings),
    imageWidth: Number(values.image),
  });
  const results = new Results('Tiles in view', [
    'package',
    'tiles',
    'MB gzipped',
    'from, m',
    'in view',
    'MB gzipped',
    'MB of textures',
    'most, from other sides',
    'with the same error everywhere',
  ]);
  for (const zip of [ward, ...(positionals.length > 0 ? positionals : [OSAKA])]) {
    const settings = readSettings({ ...process.env, DATA_DIR: join(directory, basename(zip, '.zip')) });
    const before = process.cpuUsage();
    const made = await convertFiles([zip], join(directory, 'tiles'), settings);
    const { user, system } = process.cpuUsage(before);
    console.error(`${basename(zip)}: ${((user + system) / 1e6).toFixed(1)} s of processor time`);
    for (const path of made.filter((each) => /_3dtiles/.test(each))) {
      if (statSync(path).size >= LEAST_BYTES) await look(path, results);
    }
  }
  results.print();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function look(zip: string, results: Results): Promise<void> {
  const files = await unzip(zip, /./);
  const read = (path: string) => JSON.parse(files.get(path)!.toString()) as Tileset;
  const [west, south, east, north, low] = (read('tileset.json').root.boundingVolume as { region: Region })
    .region;
  const degrees = 180 / Math.PI;
  const target = {
    lng: ((west + east) / 2) * degrees,
    lat: ((south + north) / 2) * degrees,
    height: low,
  };
  const tiles = [...files.keys()].filter((path) => path.endsWith('.glb'));
  const name = basename(zip, '.zip').replace(/^(\d+)_.*_op_/, '$1 ');
  for (const [i, distance] of DISTANCES.entries()) {
    const views = HEADINGS.flatMap((heading) =>
      PITCHES.map((pitch): View => ({ ...target, distance, heading, pitch })),
    );
    const seenWith = (isDynamic: boolean) =>
      views.map((view) => selectTiles(read, view, { isDynamic }).map((path) => files.get(path)!));
    const texturesOf = (seen: Buffer[][]) =>
      seen.map((shown) => shown.reduce((sum, bytes) => sum + textureBytes(bytes), 0));
    const seen = seenWith(true);
    const textures = texturesOf(seen);
    const [shown] = seen as [Buffer[]];
    const gzipped = shown.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0);
    results.add(
      i === 0 ? name : '',
      i === 0 ? tiles.length : '',
      i === 0 ? statSync(zip).size / 1e6 : '',
      distance,
      shown.length,
      gzipped / 1e6,
      textures[0]! / 1e6,
      Math.max(...textures) / 1e6,
      Math.max(...texturesOf(seenWith(false))) / 1e6,
    );
  }
}

/** Four bytes a pixel, and a third more for mipmaps. */
function textureBytes(glb: Uint8Array): number {
  const { json, bin } = readGlb(glb) as unknown as {
    json: { images?: { bufferView: number }[]; bufferViews: { byteOffset: number; byteLength: number }[] };
    bin: Uint8Array;
  };
  return (json.images ?? []).reduce((sum, { bufferView }) => {
    const { byteOffset, byteLength } = json.bufferViews[bufferView]!;
    const { width, height } = sizeOfWebp(bin.subarray(byteOffset, byteOffset + byteLength));
    return sum + (4 * 4 * width * height) / 3;
  }, 0);
}

/** Of a lossy WebP, with or without transparency (RFC 9649, sections 2.5 and 2.7). */
function sizeOfWebp(bytes: Uint8Array): { width: number; height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isExtended = view.getUint32(12) === 0x56503858;
  const side = (at: number) =>
    isExtended ? 1 + (view.getUint32(at, true) & 0xffffff) : view.getUint16(at, true) & 0x3fff;
  return isExtended ? { width: side(24), height: side(27) } : { width: side(26), height: side(28) };
}
