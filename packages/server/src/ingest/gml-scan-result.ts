/** What the GML files of a package tell together: rows for the catalogue, names for the gazetteer. */
import type { IssueSink } from '@citymodel/base';
import {
  dependencyLines,
  type GmlName,
  type GmlSummary,
  type Place,
  type ReferencedFiles,
  resolveReferences,
} from '@citymodel/citygml';
import { type Bounds, meshForExtent, touchesGrid, unionBounds } from '@citymodel/geo';
import type { GmlFileRow, PlaceRow } from '@citymodel/store';
import type { AreaNames } from '../catalogue/names/area-reading.ts';
import { placeKeys } from '../catalogue/names/named-places.ts';
import { PackedRows } from './packed-rows.ts';

/** Names of one package that are kept. */
const MAX_PLACES = 200_000;

export class GmlScanResult {
  readonly files = new PackedRows<Omit<GmlFileRow, 'packageNo'>>(FILE_KEYS);
  /** Around all files that tell where they lie. */
  bounds: Bounds | null = null;
  readonly types = new Set<string>();
  readonly iurVersions = new Set<string>();
  features = 0;
  readonly #members: ReferencedFiles;
  readonly #issue: IssueSink;
  /** By kind and name as written. */
  readonly #places = new Map<string, Place>();

  /** `members` are those of the package, by their paths relative to its root. */
  constructor(members: ReferencedFiles, issue: IssueSink) {
    this.#members = members;
    this.#issue = issue;
  }

  /** Takes what a pass over a file found; `sha256` in hex. Returns the section with its dependencies. */
  add(path: string, name: GmlName, summary: GmlSummary, sha256: string): Uint8Array {
    for (const version of summary.iurVersions) this.iurVersions.add(version);
    for (const place of summary.places) this.#addPlace(place);
    this.#addRow(path, name, summary, sha256);
    const resolved = resolveReferences(path, summary.references, this.#members);
    const { missing, caseDiffers, depthDiffers } = resolved;
    for (const { ref, kind, path: target } of missing) {
      if (target === null) {
        this.#issue({
          code: 'REFERENCE_ESCAPES',
          severity: 'warning',
          member: path,
          message: `It refers to ${ref}, which leads out of the package.`,
        });
        continue;
      }
      this.#issue({
        code: MISSING_CODES[kind],
        severity: 'warning',
        member: path,
        message: `It refers to ${ref}, which the package does not have.`,
      });
    }
    for (const { ref, path: found } of caseDiffers) {
      this.#issue({
        code: 'REFERENCE_CASE',
        severity: 'info',
        member: path,
        message: `It refers to ${ref}; the file is called ${found}, with other capital letters.`,
      });
    }
    for (const { ref, path: found } of depthDiffers) {
      this.#issue({
        code: 'REFERENCE_DEPTH',
        severity: 'info',
        member: path,
        message: `It refers to ${ref}; the file is ${found}, with another number of ../ before it.`,
      });
    }
    return Buffer.from(dependencyLines(resolved).join('\n'));
  }

  /** Normalised names for the gazetteer, each once; `areas` knows how municipalities are called here. */
  places(areas: AreaNames): Array<Omit<PlaceRow, 'packageNo'>> {
    const rows = new Map<string, Omit<PlaceRow, 'packageNo'>>();
    for (const place of this.#places.values()) {
      for (const name of placeKeys(place, areas)) {
        const key = `${place.kind}\0${name}`;
        const bounds = unionBounds(rows.get(key)?.bounds ?? null, place.bounds)!;
        rows.set(key, { name, kind: place.kind, bounds });
      }
    }
    return [...rows.values()];
  }

  #addRow(path: string, name: GmlName, summary: GmlSummary, sha256: string): void {
    this.types.add(name.type);
    this.features += summary.features;
    if (!name.conforms) {
      this.#issue({
        code: 'ODD_NAME',
        severity: 'info',
        member: path,
        message: 'Its name does not follow {mesh}_{type}_{epsg}[_{extra}]_op.gml.',
      });
    }
    const bounds: Bounds | null =
      summary.extent === null
        ? null
        : {
            west: summary.extent.west,
            south: summary.extent.south,
            east: summary.extent.east,
            north: summary.extent.north,
          };
    // What looks like a mesh code in the name of a file abroad is a coordinate or a number.
    const isNoMesh = !name.conforms && bounds !== null && !touchesGrid(bounds);
    const named = isNoMesh ? null : name.mesh;
    const mesh = named ?? (bounds === null ? null : (meshForExtent(bounds) ?? ''));
    if (mesh === null) {
      this.#issue({
        code: 'NO_POSITION',
        severity: 'error',
        member: path,
        message:
          'Neither its name nor its content tells where it lies; no search will find it, but it is served.',
      });
      return;
    }
    if (mesh === '') {
      this.#issue({
        code: 'OUTSIDE_MESHES',
        severity: 'info',
        member: path,
        message: 'It lies outside of the meshes of Japan: searches by mesh code do not find it, others do.',
      });
    } else if (named === null) {
      this.#issue({
        code: 'MESH_GUESSED',
        severity: 'info',
        member: path,
        message: `Its name has no mesh code; its extent gives ${mesh}.`,
      });
    }
    this.bounds = unionBounds(this.bounds, bounds);
    this.files.push({
      path,
      type: name.type,
      mesh,
      meshGuessed: mesh !== '' && named === null,
      size: summary.size,
      features: summary.features,
      lods: [...summary.lods],
      maxLod: Math.max(
        0,
        summary.lods.findLastIndex((count) => count > 0),
      ),
      sha256,
      bounds,
      minAlt: summary.extent?.minAlt ?? null,
      maxAlt: summary.extent?.maxAlt ?? null,
      crs: summary.crs[0] ?? null,
      areaCodes: summary.areaCodes,
      wellFormed: summary.wellFormed,
    });
  }

  #addPlace(place: Place): void {
    const key = `${place.kind}\0${place.name}`;
    const existing = this.#places.get(key);
    if (existing !== undefined) existing.bounds = unionBounds(existing.bounds, place.bounds)!;
    else if (this.#places.size < MAX_PLACES) this.#places.set(key, { ...place });
  }
}

const FILE_KEYS: Record<keyof Omit<GmlFileRow, 'packageNo'>, true> = {
  path: true,
  type: true,
  mesh: true,
  meshGuessed: true,
  size: true,
  features: true,
  lods: true,
  maxLod: true,
  sha256: true,
  bounds: true,
  minAlt: true,
  maxAlt: true,
  crs: true,
  areaCodes: true,
  wellFormed: true,
};

const MISSING_CODES = {
  codeSpaces: 'MISSING_CODE_LIST',
  images: 'MISSING_TEXTURE',
  hrefs: 'MISSING_FILE',
  schemas: 'MISSING_SCHEMA',
} as const;
