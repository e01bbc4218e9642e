/** The sample city as package files in one directory, as an operator would upload them. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pmtilesArchive } from '../tiles/write/pmtiles.ts';
import type { TilesetOptions } from '../tiles/write/tileset.ts';
import { writeTileset } from '../tiles/write/tileset.ts';
import type { VectorTileset } from '../tiles/write/vector-tiles.ts';
import { cutVectorTiles } from '../tiles/write/vector-tiles.ts';
import { packageMembers, packageName } from './citygml-package.ts';
import type { Edition } from './edition.ts';
import { RIVERS } from './ground.ts';
import { buildingItems, floodItems, onEarth, roadItems } from './tile-packages.ts';
import { blocksOf, buildingsIn, DISTRICTS } from './town.ts';
import {
  buildingLayer,
  floodLayer,
  inDegrees,
  type LocalFeature,
  landUseLayer,
  roadLayer,
  zoningLayer,
} from './vector-layers.ts';
import type { ZipFileMember } from './zip-file.ts';
import { writeZipFile } from './zip-file.ts';

export const DEFAULT_SEED = 1;
/** Buildings in the newest year of both cities. */
export const DEFAULT_SIZE = 300;

export interface SampleOptions {
  /** Whole number from which everything follows. */
  seed?: number;
  /** Buildings in the newest year of both cities together, at least 30. */
  size?: number;
  /** False leaves out packages of tiles: they may be converted from the others. */
  tiles?: boolean;
  /** Called after each file. */
  onProgress?: (progress: { file: string; bytes: number; done: number; total: number }) => void;
}

export interface SampleFile {
  /** File name in the directory. */
  name: string;
  kind: 'citygml' | '3dtiles' | 'mvt';
  bytes: number;
  /** Members of the zip, or tiles of a PMTiles archive. */
  members: number;
}

export interface SampleReport {
  directory: string;
  seed: number;
  size: number;
  files: SampleFile[];
  bytes: number;
}

type Writer = (directory: string) => Promise<SampleFile>;

/**
 * Writes all packages of the sample city into the directory, which is made where it is missing. The same seed and
 * size give the same bytes.
 *
 * @throws RangeError for a size below 30 or one that is not a whole number
 */
export async function writeSample(directory: string, options: SampleOptions = {}): Promise<SampleReport> {
  const { seed = DEFAULT_SEED, size = DEFAULT_SIZE, tiles = true } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError(`the seed is ${seed}; it must be a whole number`);
  if (!Number.isSafeInteger(size) || size < 30) {
    throw new RangeError(`the size is ${size} buildings; it must be a whole number of at least 30`);
  }
  await mkdir(directory, { recursive: true });
  const writers = [...cityGmlWriters(seed, size), ...(tiles ? tileWriters(seed, size) : [])];
  const files: SampleFile[] = [];
  for (const write of writers) {
    const file = await write(directory);
    files.push(file);
    options.onProgress?.({ file: file.name, bytes: file.bytes, done: files.length, total: writers.length });
  }
  return { directory, seed, size, files, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
}

/** The three editions of the two cities, the newest of each first. */
export function editionsOf(seed: number, size: number): [city: Edition, town: Edition, olderTown: Edition] {
  const blocks = (cityCode: string) =>
    DISTRICTS.filter((district) => district.cityCode === cityCode).flatMap((district) => [
      ...blocksOf(district, seed, buildingsIn(district, size)),
    ]);
  const newest = { year: 2024, iur: '3.1', spec: '4.1', seed, lod2: true, includes: () => true } as const;
  const names = {
    cityCode: '47950',
    cityName: '汐見野市',
    romanName: 'shiomino-shi',
    blocks: blocks('47950'),
  };
  return [
    {
      ...newest,
      cityCode: '47900',
      cityName: '青凪市',
      romanName: 'aonagi-shi',
      blocks: blocks('47900'),
      types: ['luse', 'fld', 'urf', 'dem'],
    },
    { ...newest, ...names, types: ['luse'] },
    {
      ...names,
      year: 2023,
      iur: '2.0',
      spec: '3.5',
      seed,
      lod2: false,
      // What was built since: every sixth building by its number.
      includes: (building) => building.serial % 6 !== 0,
      types: [],
    },
  ];
}

function* cityGmlWriters(seed: number, size: number): Generator<Writer> {
  const [city, town, olderTown] = editionsOf(seed, size);
  yield citygml(city, `${packageName(city)}/`);
  yield citygml(town, '');
  yield citygml(olderTown, '');
}

function* tileWriters(seed: number, size: number): Generator<Writer> {
  const [city, town, olderTown] = editionsOf(seed, size);
  const [harbour, hill] = ['47901_minatomi-ku', '47902_okate-ku'] as const;
  const bldg = (
    edition: Edition,
    area: string,
    tail: string,
    options: Omit<TilesetOptions, 'className'>,
  ): Writer => {
    const lod = tail.startsWith('lod1') ? 1 : 2;
    const ward = area === edition.cityCode ? '' : `${area}_`;
    const textured = lod === 2 && !tail.endsWith('no_texture');
    return tileset(
      `${packageName(edition)}_bldg_3dtiles_${ward}${tail}`,
      { ...options, className: 'building' },
      () => buildingItems(edition, area.slice(0, 5), lod, textured),
    );
  };
  yield bldg(city, harbour, 'lod1', { version: '1.0', volume: 'region' });
  yield bldg(city, hill, 'lod1', { version: '1.0', volume: 'box' });
  yield bldg(city, harbour, 'lod2', { version: '1.1', volume: 'region' });
  yield bldg(city, harbour, 'lod2_no_texture', { version: '1.1', volume: 'box' });
  yield bldg(city, hill, 'lod2', { version: '1.0', volume: 'region' });
  yield bldg(city, hill, 'lod2_no_texture', { version: '1.0', volume: 'region' });
  yield bldg(town, '47950', 'lod1', { version: '1.0', volume: 'region' });
  yield bldg(town, '47950', 'lod2', { version: '1.0', volume: 'box' });
  yield bldg(olderTown, '47950', 'lod1', { version: '1.0', volume: 'region' });
  const roads = { version: '1.0', volume: 'sphere', className: 'road' } as const;
  yield tileset(`${packageName(city)}_tran_3dtiles_lod2`, roads, () => roadItems(city));
  for (const river of RIVERS) {
    for (const scale of river.scales) {
      const flood = { version: '1.0', volume: 'region', className: 'flood' } as const;
      const name = `fld_${river.admin}_${river.code}`;
      yield tileset(`${packageName(city)}_${name}_3dtiles_${scale}`, flood, () =>
        floodItems(city, river, scale),
      );
      yield vector(`${packageName(city)}_${name}_mvt_${scale}`, 'WaterBody', () =>
        floodLayer(city, river, scale),
      );
    }
  }
  yield vector(`${packageName(city)}_bldg_mvt_lod0`, 'Building', () => buildingLayer(city));
  yield vector(`${packageName(city)}_luse_mvt_lod1`, 'LandUse', () => landUseLayer(city));
  yield vector(`${packageName(city)}_urf_UseDistrict_mvt_lod1`, 'UseDistrict', () => zoningLayer(city));
  yield vector(`${packageName(city)}_tran_mvt_lod1`, 'Road', () => roadLayer(city));
  yield vector(`${packageName(town)}_tran_mvt_lod1`, 'Road', () => roadLayer(town));
  yield vector(`${packageName(olderTown)}_tran_mvt_lod1`, 'Road', () => roadLayer(olderTown));
  yield pmtiles(`${packageName(town)}_luse_mvt_lod1`, 'LandUse', () => landUseLayer(town));
}

function citygml(edition: Edition, root: string): Writer {
  return zip(packageName(edition), 'citygml', root, () => packageMembers(edition));
}

function tileset(
  name: string,
  options: TilesetOptions,
  items: () => ReturnType<typeof buildingItems>,
): Writer {
  return zip(name, '3dtiles', '', () => writeTileset(items().map(onEarth), options));
}

function vector(name: string, layer: string, features: () => LocalFeature[]): Writer {
  return zip(name, 'mvt', '', function* () {
    const { metadata, tiles } = cut(name, layer, features());
    yield { path: 'metadata.json', bytes: Buffer.from(`${JSON.stringify(metadata, null, 2)}\n`) };
    for (const { z, x, y, bytes } of tiles) yield { path: `${z}/${x}/${y}.mvt`, bytes };
  });
}

function pmtiles(name: string, layer: string, features: () => LocalFeature[]): Writer {
  return async (directory) => {
    const tileset = cut(name, layer, features());
    const bytes = pmtilesArchive(tileset);
    const file = `${name}.pmtiles`;
    await writeFile(join(directory, `${file}.part`), bytes);
    await rename(join(directory, `${file}.part`), join(directory, file));
    return { name: file, kind: 'mvt', bytes: bytes.length, members: tileset.tiles.length };
  };
}

/** The tileset is named by what it holds: the part of the package's name behind the edition. */
function cut(name: string, layer: string, features: LocalFeature[]): VectorTileset {
  return cutVectorTiles(name.replace(/^.*?_op_/, '').replace('_mvt_', '_'), layer, features.map(inDegrees));
}

function zip(
  name: string,
  kind: SampleFile['kind'],
  root: string,
  members: () => Iterable<ZipFileMember>,
): Writer {
  return async (directory) => {
    const file = `${name}.zip`;
    return { name: file, kind, ...(await writeZipFile(join(directory, file), root, members())) };
  };
}
