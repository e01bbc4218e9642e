/** From the files of a package to the surfaces around the place that a picture shows. */
import type { PackageFiles } from '@citymodel/base';
import { geodeticToEcef, multiply, type Region, transformPoint, type Vec3 } from '@citymodel/geo';
import { loadSharp } from '../convert/tiles3d/texture/images.ts';
import { isObject } from '../read-json.ts';
import {
  ContentError,
  contentKind,
  type Glb,
  readComposite,
  readGlb,
  readTableTile,
} from '../tile-content.ts';
import { loadDracoDecoder } from './draco-decoder.ts';
import { list, type Primitive, readPrimitives } from './gltf-mesh.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { LeftOut } from './left-out.ts';
import type { Surface } from './surfaces.ts';
import { type Texture, Textures } from './texture.ts';

/** Triangles of a picture, bytes of all its files, and of one. */
const MAX_TRIANGLES = 1_500_000;
const MAX_BYTES = 128 << 20;
const MAX_FILE = 64 << 20;
/** One file counts for no more bytes than these. */
const HEAVY = 1 << 20;
/** Parts that are compared to find where a model is densest. */
const MAX_PARTS = 2_000;
/** Radius of what is looked at, metres, as in the 3D view: a smaller model is shown as a whole. */
const NARROWEST = 300;
const WIDEST = 800;
const VIEW = { least: NARROWEST, most: WIDEST };
/** Files farther from the middle than so many radii are not read. */
const SEEN = 6;
const MAX_COMPOSITES = 16;

/** How surfaces without a colour look. */
export interface SceneLook {
  /** True where grey surfaces may be painted, as those of buildings. */
  isPlain: boolean;
  /** Linear red, green, blue in the place of white; null for none. */
  tint: readonly [number, number, number] | null;
}

export interface Scene {
  surfaces: Surface[];
  /** In the middle, metres east, north and up of the frame, and the radius of what is to be seen, metres. */
  radius: number;
  leftOut: LeftOut;
  /** Files in sight for which a picture has no room: they are the farthest. */
  beyond: number;
}

/**
 * Reads what a picture shows: all of a small model, else what is around its densest part. Null for a package without
 * anything to draw. Throws DocumentTooLarge, what reading files throws, and the signal's reason.
 *
 * @param look how surfaces without a colour look
 * @param wide metres around the middle that are shown of what is seen from afar; without it as in the 3D view
 */
export async function loadScene(
  files: PackageFiles,
  look: SceneLook,
  { wide = 0, signal }: { wide?: number | undefined; signal: AbortSignal },
): Promise<Scene | null> {
  const leftOut = new LeftOut();
  const leaves = await leavesOf(files, leftOut, signal);
  const scene: Scene = { surfaces: [], radius: 0, leftOut, beyond: 0 };
  if (leaves.length === 0) return leftOut.count === 0 ? null : scene;
  const view = viewOf(leaves, files, wide > WIDEST ? { least: wide, most: wide } : VIEW);
  const toLocal = frameAt(view.longitude, view.latitude, view.height);
  const textures = new Textures(await loadSharp());
  scene.radius = view.radius;
  const near = leaves
    .map((leaf) => ({ leaf, away: distance(leaf.region, view) }))
    .filter(({ away }) => away < SEEN * view.radius)
    .sort((a, b) => a.away - b.away);
  let [triangles, bytes] = [0, 0];
  for (const [n, { leaf }] of near.entries()) {
    signal.throwIfAborted();
    const size = files.size(leaf.path) ?? 0;
    if (size > MAX_FILE) {
      leftOut.add(leaf.path, `It has ${size} bytes, of ${MAX_FILE} that are drawn at most.`);
      continue;
    }
    bytes += size;
    if (bytes > MAX_BYTES || triangles > MAX_TRIANGLES) {
      scene.beyond = near.length - n;
      break;
    }
    try {
      const content = await files.read(leaf.path, MAX_FILE);
      if (content === null) throw new ContentError('The file cannot be read.');
      for (const surface of await surfacesOf(content, leaf, { toLocal, textures, look, leftOut })) {
        triangles += surface.indices.length / 3;
        scene.surfaces.push(surface);
      }
    } catch (error) {
      signal.throwIfAborted();
      leftOut.add(leaf.path, (error as Error).message);
    }
  }
  return scene.surfaces.length === 0 && leftOut.count === 0 ? null : scene;
}

interface View {
  /** Radians, and metres above the ellipsoid. */
  longitude: number;
  latitude: number;
  height: number;
  radius: number;
}

/** All of a small model; of a large one what is around the place with the most bytes: detail, and photographs. */
function viewOf(leaves: readonly Leaf[], files: PackageFiles, { least, most: widest }: typeof VIEW): View {
  const all = leaves
    .map(({ region }) => region)
    .reduce((a, b) => [
      Math.min(a[0], b[0]),
      Math.min(a[1], b[1]),
      Math.max(a[2], b[2]),
      Math.max(a[3], b[3]),
      Math.min(a[4], b[4]),
      Math.max(a[5], b[5]),
    ]);
  const whole = radiusOf(all);
  if (whole <= widest) return middleOf(all, Math.max(40, whole));
  const step = Math.ceil(leaves.length / MAX_PARTS);
  const parts = leaves
    .filter((_, i) => i % step === 0)
    .map(({ region, path }) => ({ ...middleOf(region, radiusOf(region)), bytes: files.size(path) ?? 0 }));
  let best = parts[0]!;
  let most = 0;
  for (const part of parts) {
    let sum = 0;
    for (const { longitude, latitude, bytes } of parts) {
      const x = (longitude - part.longitude) * Math.cos(latitude);
      const near = 1 - (EARTH * Math.hypot(x, latitude - part.latitude)) / widest;
      if (near > 0) sum += near * Math.min(bytes, HEAVY);
    }
    if (sum > most) [most, best] = [sum, part];
  }
  return { ...best, radius: Math.min(widest, Math.max(least, best.radius)) };
}

function middleOf([west, south, east, north, low]: Region, radius: number): View {
  return { longitude: (west + east) / 2, latitude: (south + north) / 2, height: low, radius };
}

const EARTH = 6_371_000;

function radiusOf([west, south, east, north]: Region): number {
  return 0.5 * EARTH * Math.hypot((east - west) * Math.cos(south), north - south);
}

/** Metres from the middle to the nearest point of a region. */
function distance([west, south, east, north]: Region, { longitude, latitude }: View): number {
  const x = Math.max(west - longitude, 0, longitude - east) * Math.cos(latitude);
  const y = Math.max(south - latitude, 0, latitude - north);
  return EARTH * Math.hypot(x, y);
}

/** From ECEF to metres east, north and up of a place, by columns. */
function frameAt(longitude: number, latitude: number, height: number): number[] {
  const [x, y, z] = geodeticToEcef(longitude, latitude, height);
  const [sl, cl, sp, cp] = [Math.sin(longitude), Math.cos(longitude), Math.sin(latitude), Math.cos(latitude)];
  const rows: Vec3[] = [
    [-sl, cl, 0],
    [-sp * cl, -sp * sl, cp],
    [cp * cl, cp * sl, sp],
  ];
  const moved = rows.map((row) => -(row[0] * x + row[1] * y + row[2] * z));
  const column = (i: number) => [rows[0]![i]!, rows[1]![i]!, rows[2]![i]!, 0];
  return [...column(0), ...column(1), ...column(2), ...moved, 1];
}

interface Reading {
  toLocal: readonly number[];
  textures: Textures;
  look: SceneLook;
  leftOut: LeftOut;
}

async function surfacesOf(
  content: Uint8Array,
  leaf: Leaf,
  { toLocal, textures, look, leftOut }: Reading,
): Promise<Surface[]> {
  const surfaces: Surface[] = [];
  for (const { glb, centre } of glbsOf(content)) {
    const primitives = await readPrimitives(glb, loadDracoDecoder, leaf.isZUp);
    const images = new Map<number, Texture | null>();
    const matrix = leaf.transform === null ? toLocal : multiply(toLocal, leaf.transform);
    for (const primitive of primitives) {
      const { image } = primitive;
      if (image !== null && !images.has(image)) {
        try {
          images.set(image, await imageOf(glb, image, textures));
        } catch (error) {
          images.set(image, null);
          leftOut.add(leaf.path, (error as Error).message);
        }
      }
      surfaces.push(localSurface(primitive, matrix, centre, images.get(image ?? -1) ?? null, look));
    }
  }
  return surfaces;
}

function localSurface(
  { positions: from, indices, uvs, colours, factor }: Primitive,
  matrix: readonly number[],
  [cx, cy, cz]: Vec3,
  texture: Texture | null,
  look: SceneLook,
): Surface {
  if (!from.every(Number.isFinite)) throw new ContentError('A position is no finite number.');
  const shown = uvs === null ? null : texture;
  const isWhite = shown === null && colours === null && factor.every((part) => part === 1);
  const own = isWhite && look.tint !== null ? ([...look.tint, 1] as const) : factor;
  const positions = new Float32Array(from.length);
  for (let i = 0; i + 2 < from.length; i += 3) {
    positions.set(transformPoint(matrix, [from[i]! + cx, from[i + 1]! + cy, from[i + 2]! + cz]), i);
  }
  return {
    positions,
    indices,
    uvs,
    colours,
    factor: own,
    texture: shown,
    isPlain: look.isPlain,
    isGround: false,
  };
}

/** The models of a content, and what their positions are relative to (RTC_CENTER, CESIUM_RTC), metres. */
function* glbsOf(content: Uint8Array, depth = 0): Generator<{ glb: Glb; centre: Vec3 }> {
  const kind = contentKind(content);
  if (kind === 'glb') yield withCentre(readGlb(content), [0, 0, 0]);
  if (kind === 'b3dm') {
    const tile = readTableTile(content);
    yield withCentre(readGlb(tile.payload), tableCentre(tile.featureTable, tile.featureTableBinary));
  }
  if (kind === 'glb' || kind === 'b3dm') return;
  if (kind !== 'cmpt') throw new ContentError(`A content of the kind ${kind ?? 'unknown'} is not drawn.`);
  if (depth >= MAX_COMPOSITES)
    throw new ContentError(`The cmpt holds others more than ${MAX_COMPOSITES} deep.`);
  for (const tile of readComposite(content)) yield* glbsOf(tile, depth + 1);
}

function tableCentre({ RTC_CENTER: centre }: Record<string, unknown>, binary: Uint8Array): Vec3 {
  if (Array.isArray(centre)) return vector(centre);
  const at = isObject(centre) ? centre.byteOffset : null;
  if (typeof at !== 'number' || !(at >= 0) || at + 12 > binary.length) return [0, 0, 0];
  const view = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
  return [0, 4, 8].map((offset) => view.getFloat32(at + offset, true)) as Vec3;
}

function withCentre(glb: Glb, centre: Vec3): { glb: Glb; centre: Vec3 } {
  const extensions = isObject(glb.json.extensions) ? glb.json.extensions : {};
  const own = isObject(extensions.CESIUM_RTC) ? extensions.CESIUM_RTC.center : null;
  return { glb, centre: Array.isArray(own) ? vector(own) : centre };
}

function vector(value: unknown[]): Vec3 {
  const finite = value.length === 3 && value.every(Number.isFinite);
  return finite ? (value as Vec3) : [0, 0, 0];
}

async function imageOf({ json, bin }: Glb, image: number, textures: Textures): Promise<Texture> {
  const view = list(json.bufferViews)[Number(list(json.images)[image]?.bufferView)];
  if (view === undefined) throw new ContentError('An image is not in the file that uses it.');
  const [from, length] = [Number(view.byteOffset ?? 0), Number(view.byteLength)];
  if (!(from >= 0 && length > 0 && from + length <= bin.length))
    throw new ContentError('An image lies outside of its file.');
  return textures.read(bin.subarray(from, from + length));
}
