import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issue, PackageFiles } from '@citymodel/base';
import { type BoundingVolume, isBoundingVolume, multiply, transformVolume, type Vec3 } from '@citymodel/geo';
import { hullPoints, type Matrix4, transformPoint, volumeContains } from '@citymodel/geo/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject, readJsonObject } from '../read-json.ts';
import { resolveUri } from '../resolve-uri.ts';
import { contentKind } from '../tile-content.ts';
import type { Content, Tile, Tileset } from '../tileset.ts';
import { validateContent } from './validate-content.ts';
import type { Say } from './validate-metadata.ts';

export interface ValidateOptions {
  /** The member that an absolute URL stands for, or null: lets a composite be followed into a package. */
  memberOfUrl?: (url: string) => string | null;
}

/** Metres by which a volume or vertex may stick out. */
const TOLERANCE = 1e-5;

/**
 * Holds a tileset, the tilesets that it refers to and all their contents against 3D Tiles 1.0 or 1.1. Everything
 * that is wrong is an issue; an empty list means:
 * - each tileset JSON satisfies the schema of its version, and uses no extension that it does not declare;
 * - volumes are in range;
 * - the volumes of children and contents, and vertices that are not compressed, lie in the volumes of all tiles above
 *   them, also across tilesets; a content's lies in its tile's without a tolerance;
 * - geometric errors do not grow downwards;
 * - every content is there, and is of a kind that the version allows; its header, padding, feature and batch tables,
 *   batch ids, glTF and metadata are right.
 */
export async function validateTileset(
  files: PackageFiles,
  entry: string,
  options: ValidateOptions = {},
): Promise<Issue[]> {
  const run = new Validation(files, options);
  await run.tileset(entry, { volumes: [], transform: null, geometricError: Infinity, chain: [] });
  return run.issues;
}

/** Validates a tileset JSON alone, as it would be fetched, against the schema of its version. */
export function validateTilesetJson(tileset: unknown): string[] {
  const version = isObject(tileset) && isObject(tileset.asset) ? tileset.asset.version : undefined;
  const validate = version === '1.0' ? schema('1.0') : version === '1.1' ? schema('1.1') : null;
  if (validate === null) return [`asset.version is ${JSON.stringify(version)}; 1.0 or 1.1 was expected`];
  if (validate(tileset)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`);
}

const schemas = new Map<string, ValidateFunction>();

function schema(version: '1.0' | '1.1'): ValidateFunction {
  let validate = schemas.get(version);
  if (validate === undefined) {
    const path = join(import.meta.dirname, `../schema/tileset-${version}.schema.json`);
    validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(
      JSON.parse(readFileSync(path, 'utf8')),
    );
    schemas.set(version, validate);
  }
  return validate;
}

/** What lies above a tile. */
interface Above {
  /** Volumes in the outermost frame with what they are. */
  volumes: Array<{ name: string; volume: BoundingVolume }>;
  /** From the tile's parent's frame to the outermost; null is the identity. */
  transform: Matrix4 | null;
  geometricError: number;
  /** Tilesets that lead here. */
  chain: string[];
}

class Validation {
  readonly issues: Issue[] = [];
  private readonly files: PackageFiles;
  private readonly options: ValidateOptions;

  constructor(files: PackageFiles, options: ValidateOptions) {
    this.files = files;
    this.options = options;
  }

  async tileset(path: string, above: Above): Promise<void> {
    const say = this.sayer(path);
    const before = this.issues.length;
    const json = await readJsonObject(this.files, path, (i) => this.issues.push(i), 'TILESET_UNREADABLE');
    if (json === null) {
      if (this.issues.length === before) say('TILESET_MISSING', 'error', 'There is no such tileset.');
      return;
    }
    const faults = validateTilesetJson(json);
    for (const fault of faults) say('TILESET_SCHEMA', 'error', `${fault}.`);
    if (faults.length > 0) return;
    const tileset = json as unknown as Tileset;
    this.extensions(tileset, json, say);
    for (const [name, range] of Object.entries(tileset.properties ?? {})) {
      if (range.minimum > range.maximum)
        say('PROPERTY_RANGE', 'error', `The property ${name} has a minimum above its maximum.`);
    }
    if (tileset.root.geometricError > tileset.geometricError) {
      say(
        'GEOMETRIC_ERROR',
        'error',
        `The root tile has error ${tileset.root.geometricError}, the tileset ${tileset.geometricError}.`,
      );
    }
    await this.tile(tileset.root, 'root', path, tileset, { ...above, chain: [...above.chain, path] });
  }

  private extensions(tileset: Tileset, json: Record<string, unknown>, say: Say): void {
    const declared = new Set(tileset.extensionsUsed);
    for (const name of tileset.extensionsRequired ?? []) {
      if (!declared.has(name))
        say('EXTENSION_UNDECLARED', 'error', `${name} is required but not in extensionsUsed.`);
    }
    const used = new Set<string>();
    collectExtensions(json, used);
    for (const name of used) {
      if (!declared.has(name))
        say('EXTENSION_UNDECLARED', 'error', `${name} is used but not in extensionsUsed.`);
    }
    // This one is used by having glTF for content, which 1.1 needs no extension for.
    if (tileset.asset.version === '1.0') used.add('3DTILES_content_gltf');
    for (const name of declared) {
      if (!used.has(name))
        say('EXTENSION_UNUSED', 'warning', `${name} is in extensionsUsed but nowhere used.`);
    }
  }

  private async tile(tile: Tile, name: string, path: string, tileset: Tileset, above: Above): Promise<void> {
    const say = this.sayer(path);
    if (tile.geometricError > above.geometricError) {
      say(
        'GEOMETRIC_ERROR',
        'error',
        `${name} has error ${tile.geometricError}, the tile above it ${above.geometricError}.`,
      );
    }
    const transform =
      tile.transform === undefined
        ? above.transform
        : above.transform === null
          ? tile.transform
          : multiply(above.transform, tile.transform);
    if (tile.transform !== undefined) checkAffine(tile.transform, name, say);
    const place = (volume: BoundingVolume) =>
      transform === null ? volume : transformVolume(volume, transform);
    if (!isBoundingVolume(tile.boundingVolume)) {
      say(
        'VOLUME_INVALID',
        'error',
        `${name} has a volume out of range: ${JSON.stringify(tile.boundingVolume)}.`,
      );
      return;
    }
    const volume = place(tile.boundingVolume);
    const parent = above.volumes.at(-1);
    if (parent !== undefined) this.contained(volume, name, parent, say);
    const volumes = [...above.volumes, { name: `${name} of ${path}`, volume }];
    const inside: Above = { volumes, transform, geometricError: tile.geometricError, chain: above.chain };
    const contents = [...(tile.content === undefined ? [] : [tile.content]), ...(tile.contents ?? [])];
    if (tile.implicitTiling !== undefined) {
      await this.implicit(tile, name, path, say);
    } else {
      for (const content of contents) checkContentVolume(content, tile, name, say);
      for (const content of contents) await this.content(content, name, path, tileset, inside, place, say);
    }
    const children = tile.children ?? [];
    for (const [i, child] of children.entries())
      await this.tile(child, `${name}/${i}`, path, tileset, inside);
  }

  private async content(
    content: Content,
    name: string,
    path: string,
    tileset: Tileset,
    above: Above,
    place: (volume: BoundingVolume) => BoundingVolume,
    say: Say,
  ): Promise<void> {
    const volumes = [...above.volumes];
    if (content.boundingVolume !== undefined) {
      if (!isBoundingVolume(content.boundingVolume)) {
        say('VOLUME_INVALID', 'error', `The content of ${name} has a volume out of range.`);
      } else {
        const volume = place(content.boundingVolume);
        this.contained(volume, `The content of ${name}`, volumes.at(-1)!, say);
        volumes.push({ name: `the content of ${name} of ${path}`, volume });
      }
    }
    const member = this.locate(content.uri, path, say);
    if (member === null) return;
    const bytes = await this.files.read(member);
    if (bytes === null) {
      say('CONTENT_MISSING', 'error', `The content ${content.uri} of ${name} is not in the package.`);
      return;
    }
    const kind = contentKind(bytes);
    if (kind === 'tileset') {
      if (above.chain.includes(member))
        say('TILESET_CYCLE', 'error', `${name} refers to ${member}, which leads to it.`);
      else await this.tileset(member, { ...above, volumes });
      return;
    }
    if ((kind === 'glb' || kind === 'gltf') && tileset.asset.version === '1.0') {
      const declared = [tileset.extensionsUsed, tileset.extensionsRequired];
      if (!declared.every((names) => names?.includes('3DTILES_content_gltf'))) {
        say(
          'CONTENT_GLTF_IN_1_0',
          'error',
          `${content.uri} is glTF, which 1.0 allows only by the extension 3DTILES_content_gltf.`,
        );
      }
    }
    const beside = async (uri: string) => {
      const resolved = resolveUri(member, uri);
      const found = resolved.kind === 'member' ? await this.files.read(resolved.path) : null;
      if (found === null) throw new Error(`${uri} is not in the package`);
      return found;
    };
    const vertices = await validateContent(bytes, this.sayer(member), beside);
    this.enclosed(vertices, above.transform, volumes, member);
  }

  /** The vertices, in the tile's frame, must lie in the content's volume and in those of all tiles above. */
  private enclosed(
    vertices: Vec3[],
    transform: Matrix4 | null,
    volumes: Above['volumes'],
    member: string,
  ): void {
    const placed =
      transform === null ? vertices : vertices.map((vertex) => transformPoint(transform, vertex));
    for (const { name, volume } of volumes) {
      const outside = placed.filter((vertex) => !volumeContains(volume, vertex, TOLERANCE)).length;
      if (outside === 0) continue;
      this.sayer(member)(
        'CONTENT_OUTSIDE_VOLUME',
        'error',
        `${outside} of ${vertices.length} vertices lie outside the volume of ${name}.`,
      );
    }
  }

  private contained(volume: BoundingVolume, name: string, parent: Above['volumes'][number], say: Say): void {
    const outside = hullPoints(volume).filter((point) => !volumeContains(parent.volume, point, TOLERANCE));
    if (outside.length === 0) return;
    say('VOLUME_OUTSIDE_PARENT', 'error', `${name} has a volume that sticks out of that of ${parent.name}.`);
  }

  private async implicit(tile: Tile, name: string, path: string, say: Say): Promise<void> {
    const tiling = tile.implicitTiling!;
    const variables = tiling.subdivisionScheme === 'OCTREE' ? ['level', 'x', 'y', 'z'] : ['level', 'x', 'y'];
    const templates = [
      tiling.subtrees.uri,
      ...[tile.content, ...(tile.contents ?? [])].flatMap((c) => c?.uri ?? []),
    ];
    for (const template of templates) {
      if (!variables.every((variable) => template.includes(`{${variable}}`))) {
        say('IMPLICIT_TEMPLATE', 'error', `${template} of ${name} lacks one of {${variables.join('}, {')}}.`);
      }
    }
    if ('sphere' in tile.boundingVolume)
      say('IMPLICIT_SPHERE', 'error', `${name} has implicit tiling and a sphere.`);
    if (tile.content?.boundingVolume !== undefined) {
      say(
        'IMPLICIT_CONTENT_VOLUME',
        'error',
        `The content of ${name} has implicit tiling and a volume of its own.`,
      );
    }
    const member = this.locate(tiling.subtrees.uri.replace(/\{\w+\}/g, '0'), path, say);
    const bytes = member === null ? null : await this.files.read(member);
    if (bytes === null) {
      if (member !== null)
        say('SUBTREE_MISSING', 'error', `The root subtree ${member} is not in the package.`);
      return;
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const valid =
      bytes.length >= 24 &&
      contentKind(bytes) === 'subtree' &&
      view.getUint32(4, true) === 1 &&
      view.getBigUint64(8, true) % 8n === 0n &&
      24n + view.getBigUint64(8, true) + view.getBigUint64(16, true) === BigInt(bytes.length);
    if (!valid)
      say('SUBTREE_INVALID', 'error', `The root subtree ${member} has a header that does not fit it.`);
  }

  private locate(uri: string, from: string, say: Say): string | null {
    const resolved = resolveUri(from, uri);
    if (resolved.kind === 'member') return resolved.path;
    const member = resolved.kind === 'absolute' ? (this.options.memberOfUrl?.(uri) ?? null) : null;
    if (member === null) say('CONTENT_OUTSIDE', 'error', `The URI ${uri} leads out of the package.`);
    return member;
  }

  private sayer(member: string): Say {
    return (code, severity, message) => this.issues.push({ code, severity, message, member });
  }
}

/**
 * Common checkers compare a content's volume with its tile's without a tolerance. They compare boxes under the tile's
 * own transform, where rounding may put a box outside the one that holds it: published tiles do without such pairs.
 */
function checkContentVolume(content: Content, tile: Tile, name: string, say: Say): void {
  const { boundingVolume: inner } = content;
  const { boundingVolume: outer } = tile;
  if (inner === undefined || !isBoundingVolume(inner)) return;
  if (sticksOut(inner, outer))
    say(
      'CONTENT_VOLUME_OUTSIDE',
      'error',
      `The content of ${name} has a volume that sticks out of the tile's.`,
    );
  if (tile.transform !== undefined && 'box' in inner && 'box' in outer)
    say('CONTENT_VOLUME_TURNED', 'warning', `${name} has a transform, and its content a box of its own.`);
}

/** Whether a volume sticks out of another, both in one frame; kinds that cannot be compared exactly do not. */
function sticksOut(inner: BoundingVolume, outer: BoundingVolume): boolean {
  if ('region' in inner && 'region' in outer) {
    const [a, b] = [inner.region, outer.region];
    return [0, 1, 4].some((i) => a[i]! < b[i]!) || [2, 3, 5].some((i) => a[i]! > b[i]!);
  }
  if ('sphere' in inner && 'sphere' in outer) {
    const distance = Math.hypot(...[0, 1, 2].map((i) => inner.sphere[i]! - outer.sphere[i]!));
    return distance > outer.sphere[3]! - inner.sphere[3]!;
  }
  if ('box' in inner && 'box' in outer) {
    const shortest = Math.min(...[3, 6, 9].map((i) => Math.hypot(...outer.box.slice(i, i + 3))));
    return hullPoints(inner).some((point) => !volumeContains(outer, point, shortest * 1e-8));
  }
  return false;
}

function checkAffine(matrix: number[], name: string, say: Say): void {
  const bottom = [matrix[3], matrix[7], matrix[11], matrix[15]];
  const linear = [0, 4, 8].map((i) => matrix.slice(i, i + 3)) as [Vec3, Vec3, Vec3];
  const [a, b, c] = linear;
  const determinant =
    a[0] * (b[1] * c[2] - b[2] * c[1]) -
    a[1] * (b[0] * c[2] - b[2] * c[0]) +
    a[2] * (b[0] * c[1] - b[1] * c[0]);
  if (bottom.join() !== '0,0,0,1')
    say('TRANSFORM_INVALID', 'error', `The transform of ${name} is not affine.`);
  else if (!(Math.abs(determinant) > 0))
    say('TRANSFORM_INVALID', 'error', `The transform of ${name} cannot be inverted.`);
}

/** Names of all extension objects, wherever they are; extras are nobody's business. */
function collectExtensions(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectExtensions(item, into);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'extras') continue;
      if (key === 'extensions' && isObject(inner)) for (const name of Object.keys(inner)) into.add(name);
      collectExtensions(inner, into);
    }
  }
}
