/**
 * The contract between the one that runs a conversion (`run`) and those who make files of GML (`tiles3d`, `vector`).
 *
 * The unit of work is one GML file. A maker makes a *part* of it: a directory with everything that this file adds to
 * every output of its kind. The runner keeps parts under a hash of what they were made of. So a conversion that was
 * killed goes on, and only parts of changed files are made again. When all parts are there, the maker *joins* those of
 * each output into the files of its package.
 *
 * Nothing that a maker writes may depend on anything but its arguments: not on the clock, the number of workers, their
 * order, or paths of directories.
 */
import type { IssueSeverity, OutputKind } from '@citymodel/base';
import type { PartAccountBuilder } from './account/part-account.ts';

/** What one package of tiles holds; its name says the same (`parsePackageName`). */
export interface OutputKey {
  kind: OutputKind;
  /** Feature-type code. */
  type: string;
  /**
   * The part below the type as names have it, case included: `natl_kanogawa`, `DistrictPlan`, `13`; null for the whole
   * type.
   */
  sub: string | null;
  /** Scale of a flood with its suffix, `l2` or `l2-1`; null otherwise. */
  scale: string | null;
  /** Ward of a city that is divided into wards; null for the whole package. */
  wardCode: string | null;
  /** Level of detail of the name; null for types without. */
  lod: number | null;
  /** True when the name ends in `_no_texture`: the twin beside a textured output, and floods. */
  noTexture: boolean;
  /** True for the inside of features alone, where the data have it apart from their outside (CityGML 3.0). */
  interior: boolean;
  /** Map symbols inside of features in place of the features; null for the features themselves. */
  symbols: MapSymbols | null;
}

/** Packages of map symbols, as their names end: shapes of `DmGeometricAttribute`, and texts of `DmAnnotation`. */
export type MapSymbols = 'dm_geometric_attributes' | 'dm_annotations';

export interface PartOutput {
  key: OutputKey;
  /** Features with a body in it. */
  features: number;
  /** Whatever else the maker wants to know when it joins: plain JSON, small, the same in every run. */
  data: unknown;
}

/** Something odd about the data of one GML file; the conversion goes on. */
export interface ConvertIssue {
  /** Stable upper-snake-case code, listed in `docs/converting.md`. */
  code: string;
  severity: IssueSeverity;
  /** Path of the GML file in the package. */
  file: string;
  /** gml:id of the first feature that has it; null for the file itself. */
  id: string | null;
  /** How often it was found in this file. */
  count: number;
  /** One full sentence: what was found. */
  message: string;
  /** One full sentence: what the program did about it, and what the operator can do. */
  remedy: string;
}

/**
 * Where heights go: from those of the data to those of the tiles. Throws nothing; what is odd becomes an issue of the
 * file.
 */
export interface HeightModel {
  /** `GSIGEO2011`, `EGM96`, `elevation`, or the file name of a grid: for `asset.extras`. */
  readonly name: string;
  /**
   * Metres that are added to a height at this place; longitude and latitude in degrees. `datum`: what the height is one
   * of, `jgd2011` if nothing is said.
   */
  offset(lng: number, lat: number, datum?: 'jgd2011' | 'jgd2024'): number;
  /** How many places lay outside of the grid since the model was made, and got another model's height. */
  readonly outside: number;
  /** True once heights were brought from one datum of Japan to the other. */
  readonly isRevised: boolean;
  /** Datums of elevations that were left as they are. */
  readonly elevations: Set<'jgd2011' | 'jgd2024'>;
  /** Places where the correction between the two is unknown; heights passed on as they are. */
  readonly unrevised: PlacesOf;
  /** Places where the authority reads another grid of corrections. */
  readonly otherGrid: PlacesOf;
}

/** How many places something holds for, and the first, longitude and latitude in degrees. */
export interface PlacesOf {
  count: number;
  first: readonly [lng: number, lat: number] | null;
}

/** What is asked of a conversion; part of the hash of every part, so plain JSON. */
export interface ConvertOptions {
  /** Version of 3D Tiles. */
  tiles: '1.0' | '1.1';
  compression: 'draco' | 'meshopt' | 'none';
  /** Leave out the column `attributes`. */
  slim: boolean;
  /** KHR_materials_unlit for textured surfaces. */
  unlit: boolean;
  /** Write vector tiles as one PMTiles file. */
  pmtiles: boolean;
  /** Levels of detail that are wanted; null for all. */
  lods: readonly number[] | null;
  heights: 'geoid' | 'egm96' | 'elevation';
}

/** The package that a GML file belongs to. */
export interface SourcePackage {
  /** Its name without `.zip`, the beginning of the names of all outputs. */
  name: string;
  /** 5 digits of the municipality, or what the operator gave. */
  cityCode: string;
  /** Name of the municipality, e.g. `沼津市`. */
  cityName: string;
  /** Codes of the wards that the city is divided into, in order; empty for others. */
  wards: readonly string[];
  year: number;
}

/** What is known of a GML file before it is read. */
export interface GmlFacts {
  /** Path in the package: `udx/bldg/53394525_bldg_6697_op.gml`. */
  path: string;
  /** Feature-type code. */
  type: string;
  /** Mesh code of its name; null when it has none. */
  mesh: string | null;
  /** Bytes of the text. */
  size: number;
}

/** What the text of a GML file holds, by looking through it. */
export interface GmlContent {
  /**
   * Levels of detail of surfaces and solids, by the local name of the feature, or the part of one, that stands before
   * them.
   */
  lods: ReadonlyMap<string, ReadonlySet<number>>;
  /** Levels of detail of terrain of triangles. */
  reliefs: ReadonlySet<number>;
  /** Levels of detail of features by the code of their gml:name; null stands for those without. */
  codes: ReadonlyMap<string | null, ReadonlySet<number>>;
  /** Codes of municipalities that buildings say they are in. */
  cities: ReadonlySet<string>;
  /** True when there are images for surfaces. */
  hasImages: boolean;
  /** Map symbols by the local name of the feature, or the part of one, that stands before them. */
  symbols: ReadonlyMap<string, ReadonlySet<MapSymbols>>;
}

/** One GML file that is converted. */
export interface GmlSource extends GmlFacts {
  readonly package: SourcePackage;
  /** The text from its beginning; may be read several times, one after the other. Throws MemberDamaged. */
  text(): AsyncIterable<Uint8Array>;
  /**
   * Another member by its path in the package (`codelists/…`, `udx/bldg/…_appearance/1.jpg`), letter case as the
   * archive's lookup forgives it; null when there is none, or when it is larger than `limit` bytes.
   */
  member(path: string, limit: number): Promise<Uint8Array | null>;
  /** The text of another GML file of the package, which a reference names by its path; null when there is none. */
  textOf(path: string): AsyncIterable<Uint8Array> | null;
}

export interface PartContext {
  options: ConvertOptions;
  heights: HeightModel;
  /** Empty directory for what is needed while the part is made; the runner removes it. */
  scratch: string;
  /** Stops the work: makers look at it between features. */
  signal: AbortSignal;
  issue(issue: ConvertIssue): void;
  /** Counts what goes in and what comes out. */
  account: PartAccountBuilder;
  /** Told bytes of text that were read, for progress. */
  onText(bytes: number): void;
}

/** A part that is complete. */
export interface Part {
  gml: GmlFacts;
  directory: string;
  outputs: readonly PartOutput[];
}

/** Takes the files of one output package, in the order in which they shall lie in it. */
export interface PackageSink {
  /** A file from memory; `path` inside the package. `stored`: it is compressed already and is not deflated. */
  add(path: string, bytes: Uint8Array, options?: { stored?: boolean }): Promise<void>;
  /** A file, or a range of it. `deflated`: it holds deflate data of so much content; only for zips. */
  addFile(
    path: string,
    file: string,
    options?: {
      start?: number;
      end?: number;
      stored?: boolean;
      deflated?: { size: number; crc32: number };
    },
  ): Promise<void>;
}

export interface JoinContext {
  package: SourcePackage;
  /** Name of the output package. */
  name: string;
  options: ConvertOptions;
  heights: Pick<HeightModel, 'name'>;
  /** How the package is made: zips have it as `conversion.json`, PMTiles files in their metadata. Plain JSON. */
  provenance: unknown;
  scratch: string;
  signal: AbortSignal;
  issue(issue: ConvertIssue): void;
}

export interface PartMaker {
  /** What it makes: also the name of the folder that parts lie in. */
  readonly name: OutputKind;
  /** Counted up when the same input makes other bytes than before. */
  readonly version: number;
  /** Options that the bytes of its parts depend on; others may change without making parts again. */
  readonly partOptions: ReadonlyArray<keyof ConvertOptions>;
  /** What a package is as a file; the options decide. */
  container(options: ConvertOptions): 'zip' | 'pmtiles';
  /** Outputs that a GML file may add to, by its path alone; empty when the maker has nothing to make of it. */
  plan(gml: GmlFacts, options: ConvertOptions): readonly OutputKey[];
  /** Outputs that a GML file of this content will add to, as far as looking through its text tells. */
  foresee(
    gml: GmlFacts,
    options: ConvertOptions,
    content: GmlContent,
    source: SourcePackage,
  ): readonly OutputKey[];
  /** Writes what the file adds into `directory`, which is empty, and says to which outputs. */
  makePart(gml: GmlSource, directory: string, context: PartContext): Promise<readonly PartOutput[]>;
  /**
   * Writes the package of one output. `parts` are all parts of the type, ordered by path, those without this very
   * output included: for an output of LOD 2 a file without LOD 2 adds what it has of LOD 1 (`contribution`).
   */
  join(key: OutputKey, parts: readonly Part[], sink: PackageSink, context: JoinContext): Promise<void>;
}

/**
 * What a part adds to an output: the output itself, else that of the highest level of detail below it, textured or not
 * as asked where it has both. Null when the part adds nothing.
 */
export function contribution(key: OutputKey, part: Part): PartOutput | null {
  let best: PartOutput | null = null;
  for (const output of part.outputs) {
    const { kind, type, sub, scale, wardCode, lod, noTexture, symbols, interior } = output.key;
    if (kind !== key.kind || type !== key.type || sub !== key.sub || symbols !== key.symbols) continue;
    if (scale !== key.scale || wardCode !== key.wardCode || interior !== key.interior) continue;
    if ((lod ?? -1) > (key.lod ?? -1)) continue;
    const better =
      best === null ||
      (lod ?? -1) > (best.key.lod ?? -1) ||
      (lod === best.key.lod && noTexture === key.noTexture);
    if (better) best = output;
  }
  return best;
}

/**
 * What follows the name of the CityGML package in the name of an output, without the romanised name of the ward:
 * `bldg_3dtiles_lod2_no_texture`, `fld_pref_oyabegawa_gandogawa_3dtiles_l2_no_texture`, `frn_dm_annotations`. The same
 * for the same output only.
 */
export function outputSuffix(key: OutputKey, wardName: string | null = null): string {
  const ward =
    key.wardCode === null ? null : wardName === null ? key.wardCode : `${key.wardCode}_${wardName}`;
  const lod = key.lod === null ? null : `lod${key.lod}`;
  const interior = key.interior ? 'interior' : null;
  const texture = key.noTexture ? 'no_texture' : null;
  return [key.type, key.sub, key.symbols ?? key.kind, ward, key.scale, lod, interior, texture]
    .filter((part) => part !== null)
    .join('_');
}
