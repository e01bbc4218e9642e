import type { IssueSeverity, IssueSink, PackageFiles } from '@citymodel/base';
import {
  type BoundingVolume,
  isBoundingVolume,
  maximumScale,
  multiply,
  type Region,
  transformVolume,
  unionRegions,
  volumeRegion,
} from '@citymodel/geo';
import { DocumentTooLarge, isObject, readJsonObject } from './read-json.ts';
import { resolveUri } from './resolve-uri.ts';
import { type ContentKind, contentKindOfPath } from './tile-content.ts';

/** Versions of 3D Tiles that there are. */
const KNOWN_VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
/**
 * Tiles looked at in one package, beyond which the rest is taken on trust; tileset documents followed; and how many of
 * these may refer to each other in a chain.
 */
const MOST = { tiles: 2_000_000, tilesets: 20_000, nesting: 16 };
/** Bytes of all of them. */
const MAX_DOCUMENT_BYTES = 2 ** 30;
/** Characters of a URI that messages show. */
const MAX_URI = 200;
/** Contents whose paths are kept for a look inside. */
const MAX_SAMPLES = 8;
/** Wider than this (radians), a root region is not that of a city. */
const ABSURD = (10 * Math.PI) / 180;
/** Boxes and spheres turned into regions below the root ; regions cost nothing and are all looked at. */
const MAX_VOLUMES = 10_000;
/** Radians and metres of rounding that count for nothing. */
const SLACK = { angle: 1e-9, height: 0.01 };

interface PendingTile {
  tile: Record<string, unknown>;
  /** From the tile's parent's frame to ECEF; null for the identity. */
  transform: number[] | null;
  parentError: number | null;
  root: boolean;
}

interface PendingTileset {
  path: string;
  json: Record<string, unknown> | null;
  /** Tilesets that lead here, the entry first; none for the entry itself. */
  ancestors: string[];
  transform: number[] | null;
}

/**
 * One pass over a tileset and the tilesets that it refers to: breadth first over documents, depth first over the
 * tiles of one. Everything that is wrong goes to the sink.
 */
export class TilesetWalk {
  tiles = 0;
  contents = 0;
  /** Contents that the package has, without those of implicit tiling. */
  present = 0;
  tilesets = 0;
  implicit = false;
  version: string | null = null;
  geometricError: number | null = null;
  rootVolume: BoundingVolume | null = null;
  readonly kinds: Partial<Record<ContentKind, number>> = {};
  private readonly files: PackageFiles;
  private readonly issue: IssueSink;
  private readonly most: typeof MOST;
  private readonly seen = new Set<string>();
  private readonly queue: PendingTileset[] = [];
  private readonly firstContents: string[] = [];
  private lastContent: string | null = null;
  private below: Region | null = null;
  private volumesBelow = 0;
  /** Not all volumes were looked at. */
  private incomplete = false;
  private isTooLarge = false;
  private documentBytes = 0;
  /** The first URI that leads to another host, or runs as a script. */
  foreign: { member: string; uri: string } | null = null;

  constructor(files: PackageFiles, issue: IssueSink, most = MOST) {
    this.files = files;
    this.issue = issue;
    this.most = most;
  }

  async follow(entry: string, json: Record<string, unknown>): Promise<void> {
    this.seen.add(entry);
    this.queue.push({ path: entry, json, ancestors: [], transform: null });
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      this.documentBytes += this.files.size(next.path) ?? 0;
      if (this.documentBytes > MAX_DOCUMENT_BYTES) {
        throw new DocumentTooLarge(
          next.path,
          `With it the tilesets of the package have more than ${MAX_DOCUMENT_BYTES} bytes, the most that is read.`,
        );
      }
      const document =
        next.json ?? (await readJsonObject(this.files, next.path, this.issue, 'TILESET_UNREADABLE'));
      if (document !== null) this.visit(next, document);
    }
  }

  /** The root's volume where it is good, else (see `TilesetFacts.tightVolume`) what to use instead. */
  betterThan(volume: BoundingVolume): BoundingVolume | null {
    const region = volumeRegion(volume);
    const below = this.below;
    if (below === null || this.incomplete) return null;
    if (isAbsurd(region)) return isAbsurd(below) ? null : { region: below };
    return regionCovers(region, below, 'region' in volume ? 0 : 0.01)
      ? null
      : { region: unionRegions(region, below) };
  }

  unionBelow(): BoundingVolume | null {
    return this.below === null ? null : { region: this.below };
  }

  /** Some of the contents, the first ones and the last. */
  contentPaths(): string[] {
    return this.lastContent === null ? this.firstContents : [...this.firstContents, this.lastContent];
  }

  private visit(at: PendingTileset, json: Record<string, unknown>): void {
    this.tilesets++;
    const entry = at.ancestors.length === 0;
    const report = this.reporter(at.path);
    const version = isObject(json.asset) ? json.asset.version : undefined;
    if (typeof version !== 'string') {
      report(
        'TILESET_NO_VERSION',
        'warning',
        'The tileset has no asset.version; `1.0` or `1.1` was expected.',
      );
    } else if (!KNOWN_VERSIONS.has(version)) {
      report(
        'TILESET_VERSION',
        'warning',
        `asset.version is ${JSON.stringify(version)}; \`1.0\` or \`1.1\` was expected.`,
      );
    }
    const error = finite(json.geometricError);
    if (error === null) report('TILESET_NO_ERROR', 'warning', 'The tileset has no geometricError in metres.');
    if (!isObject(json.root)) {
      report('TILESET_NO_ROOT', 'error', 'The tileset has no root tile; `root` must be an object.');
      return;
    }
    if (entry) {
      // The catalogue has only these two; another one is as good as none.
      this.version = typeof version === 'string' && KNOWN_VERSIONS.has(version) ? version : null;
      const rootError = finite(json.root.geometricError);
      this.geometricError = error === null ? rootError : Math.max(error, rootError ?? 0);
    }
    const stack: PendingTile[] = [
      { tile: json.root, transform: at.transform, parentError: error, root: true },
    ];
    const odd = { volumes: 0, errors: 0 };
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (this.tiles === this.most.tiles) {
        if (!this.isTooLarge)
          report(
            'TILESET_TOO_MANY_TILES',
            'warning',
            `Only the first ${this.most.tiles} tiles were checked.`,
          );
        this.isTooLarge = this.incomplete = true;
        break;
      }
      this.tiles++;
      const transform = this.transformOf(next, report);
      this.noteVolume(next, transform, entry, odd, report);
      const own = finite(next.tile.geometricError);
      if (own === null || (next.parentError !== null && own > next.parentError)) odd.errors++;
      this.noteContents(next.tile, at, transform, report);
      const children = next.tile.children;
      if (!Array.isArray(children)) continue;
      for (const child of [...children].reverse()) {
        if (isObject(child)) stack.push({ tile: child, transform, parentError: own, root: false });
        else report('TILE_INVALID', 'warning', 'A child of a tile is no object.');
      }
    }
    if (odd.volumes > 0) {
      report(
        'TILE_VOLUME_INVALID',
        'warning',
        `${odd.volumes} tiles below the root have no valid bounding volume.`,
      );
    }
    if (odd.errors > 0) {
      report(
        'TILE_ERROR_ODD',
        'warning',
        `${odd.errors} tiles have no geometricError, or one larger than their parent's; it must not grow downwards.`,
      );
    }
  }

  private transformOf(at: PendingTile, report: Reporter): number[] | null {
    const own = at.tile.transform;
    if (own === undefined) return at.transform;
    if (!Array.isArray(own) || own.length !== 16 || !own.every((n) => Number.isFinite(n))) {
      report('TILE_TRANSFORM_INVALID', 'error', 'A transform is not 16 numbers; it was ignored.');
      return at.transform;
    }
    return at.transform === null ? own : multiply(at.transform, own);
  }

  private noteVolume(
    at: PendingTile,
    transform: number[] | null,
    entry: boolean,
    odd: { volumes: number },
    report: Reporter,
  ): void {
    const written = at.tile.boundingVolume;
    const valid = isBoundingVolume(written);
    if (!valid) {
      if (at.root) {
        report(
          'ROOT_VOLUME_INVALID',
          'error',
          `The root tile has ${written === undefined ? 'no bounding volume' : 'an invalid bounding volume'}; one ` +
            `valid region, box or sphere was expected.`,
        );
      } else odd.volumes++;
      return;
    }
    const volume = pick(written);
    const placed = transform === null ? volume : transformVolume(volume, transform);
    if (entry && at.root) {
      this.rootVolume = placed;
      if (transform !== null && maximumScale(transform) === 0) {
        report(
          'TILE_TRANSFORM_INVALID',
          'error',
          'The transform of the root tile has scale 0: nothing can be seen.',
        );
      }
      return;
    }
    if (!('region' in placed) && ++this.volumesBelow > MAX_VOLUMES) {
      this.incomplete = true;
      return;
    }
    const region = volumeRegion(placed);
    if (isAbsurd(region)) return;
    this.below = this.below === null ? region : unionRegions(this.below, region);
  }

  private noteContents(
    tile: Record<string, unknown>,
    at: PendingTileset,
    transform: number[] | null,
    report: Reporter,
  ): void {
    const contents = [tile.content, ...(Array.isArray(tile.contents) ? tile.contents : [])];
    const tiling = implicitTilingOf(tile);
    if (tiling !== null) {
      this.implicit = true;
      this.noteSubtree(tiling, at.path, report);
    }
    for (const content of contents) {
      if (content === undefined) continue;
      // Drafts before 1.0 said `url`.
      const uri = isObject(content) ? (content.uri ?? content.url) : undefined;
      if (typeof uri !== 'string' || uri === '') {
        report('CONTENT_NO_URI', 'error', 'A content has no `uri`.');
        continue;
      }
      this.contents++;
      const resolved = this.locate(uri, at.path, report);
      if (resolved === null) continue;
      const kind = contentKindOfPath(resolved);
      this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
      if (tiling !== null) {
        this.sampleTemplate(resolved);
        continue;
      }
      if (this.files.size(resolved) === undefined) {
        report(
          'CONTENT_MISSING',
          'error',
          `The content ${JSON.stringify(uri.slice(0, MAX_URI))} is not in the package.`,
        );
        continue;
      }
      this.present++;
      if (kind === 'tileset') this.enqueue(resolved, at, transform, report);
      else if (this.firstContents.length < MAX_SAMPLES - 1) this.firstContents.push(resolved);
      else this.lastContent = resolved;
    }
  }

  /** The path that a URI means, or null (reported) when it leaves the package. */
  private locate(uri: string, from: string, report: Reporter): string | null {
    const resolved = resolveUri(from, uri);
    switch (resolved.kind) {
      case 'inline':
        return null;
      case 'absolute':
        if (resolved.isForeign) this.foreign ??= { member: from, uri: uri.slice(0, MAX_URI) };
        report(
          'CONTENT_ABSOLUTE',
          'error',
          `The URI ${JSON.stringify(uri.slice(0, MAX_URI))} is absolute; a path inside the package was expected.`,
        );
        return null;
      case 'escaping':
        report(
          'CONTENT_ESCAPES',
          'error',
          `The URI ${JSON.stringify(uri.slice(0, MAX_URI))} leads out of the package.`,
        );
        return null;
      case 'member':
        return resolved.path;
    }
  }

  private enqueue(path: string, at: PendingTileset, transform: number[] | null, report: Reporter): void {
    if (this.seen.has(path)) {
      // Referring to one tileset from two places is allowed, to one that leads here is not; either way it was read.
      if (path === at.path || at.ancestors.includes(path)) {
        report('TILESET_CYCLE', 'error', `The tileset refers to ${path}, which leads to it.`);
      }
      return;
    }
    if (at.ancestors.length >= this.most.nesting || this.seen.size >= this.most.tilesets) {
      report(
        'TILESET_TOO_MANY',
        'warning',
        `Tilesets beyond ${this.most.tilesets}, or ${this.most.nesting} deep, were not followed.`,
      );
      return;
    }
    this.seen.add(path);
    this.queue.push({ path, json: null, ancestors: [...at.ancestors, at.path], transform });
  }

  private noteSubtree(tiling: Record<string, unknown>, from: string, report: Reporter): void {
    const uri = isObject(tiling.subtrees) ? tiling.subtrees.uri : undefined;
    if (typeof uri !== 'string') {
      report('SUBTREES_NO_URI', 'error', 'Implicit tiling has no `subtrees.uri`.');
      return;
    }
    this.kinds.subtree = (this.kinds.subtree ?? 0) + 1;
    const root = this.locate(uri.replace(/\{(level|x|y|z)\}/g, '0'), from, report);
    if (root !== null && this.files.size(root) === undefined) {
      report('SUBTREE_MISSING', 'error', `The root subtree ${JSON.stringify(root)} is not in the package.`);
    }
  }

  /** Contents that a template of implicit tiling may mean: whatever begins and ends as it does. */
  private sampleTemplate(template: string): void {
    const before = template.slice(0, Math.max(0, template.indexOf('{')));
    const suffix = template.slice(template.lastIndexOf('}') + 1);
    for (const path of this.files.paths()) {
      if (this.firstContents.length >= MAX_SAMPLES) return;
      if (path.startsWith(before) && path.endsWith(suffix)) this.firstContents.push(path);
    }
  }

  private reporter(member: string): Reporter {
    return (code, severity, message) => this.issue({ code, severity, message, member });
  }
}

type Reporter = (code: string, severity: IssueSeverity, message: string) => void;

function implicitTilingOf(tile: Record<string, unknown>): Record<string, unknown> | null {
  const extensions = tile.extensions;
  // 1.0 tilesets have implicit tiling by an extension of the same shape.
  const tiling =
    tile.implicitTiling ?? (isObject(extensions) ? extensions['3DTILES_implicit_tiling'] : undefined);
  return isObject(tiling) ? tiling : null;
}

/** Only the volume: neither extensions nor extras. */
function pick(volume: BoundingVolume): BoundingVolume {
  if ('region' in volume) return { region: volume.region };
  return 'box' in volume ? { box: volume.box } : { sphere: volume.sphere };
}

function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function isAbsurd(region: Region): boolean {
  const width = region[2] >= region[0] ? region[2] - region[0] : region[2] - region[0] + 2 * Math.PI;
  return width > ABSURD || region[3] - region[1] > ABSURD;
}

/**
 * Whether a region (that does not cross the antimeridian) covers another but for rounding and a share of its own
 * size: regions made from boxes and spheres are a little too large.
 */
function regionCovers(outer: Region, inner: Region, share: number): boolean {
  return [0, 1, 4].every((low) => {
    const high = low === 4 ? 5 : low + 2;
    const slack = (low === 4 ? SLACK.height : SLACK.angle) + share * (inner[high]! - inner[low]!);
    return outer[low]! <= inner[low]! + slack && outer[high]! >= inner[high]! - slack;
  });
}
