import type { PackageKind, TileFormat } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';

export type { PackageKind } from '@citymodel/base';

/**
 * `live`: in the catalogue. `retired`: replaced by another revision; out of the catalogue, its assets still
 * answer until the sweep. `removed`: removed by the operator; nothing answers, kept only for packs that refer to it.
 */
export type PackageState = 'live' | 'retired' | 'removed';

/** A package as the database keeps it. One tile package is one dataset. */
export interface PackageRow {
  /** Surrogate key, given by the database. */
  no: number;
  /** UUID-shaped, derived from the content: the same package has the same id on every server. */
  id: string;
  kind: PackageKind;
  /** What makes a package the same one across revisions, e.g. `citygml/13101/city/2023`. */
  identity: string;
  /** Package directory, e.g. `13101_chiyoda-ku_city_2023_citygml_1_op`. */
  name: string;
  /** `{2 hex}/{rest of an id}` in asset URLs. */
  assetPath: string;
  state: PackageState;
  prefCode: string;
  pref: string;
  /** 5 digits; the 2-digit prefecture code for a prefecture's own package. */
  cityCode: string;
  city: string;
  wardCode: string | null;
  ward: string | null;
  /**
   * Names of municipalities and wards that the built-in table lacks, code → name, from the package's own code list;
   * they also name the rows of tile packages whose own `city` or `ward` was guessed.
   */
  areaNames: Record<string, string>;
  /**
   * CityGML: names of rivers and other parts below a type from the package's code lists, by `partKey`:
   * `fld/natl_kanogawa` → 狩野川水系狩野川.
   */
  partNames: Record<string, string>;
  provider: string;
  year: number;
  registrationYear: number;
  /** Version of the product specification, e.g. `3.3`. */
  spec: string;
  /** As in the name, `1` or `1_3`. */
  revision: string;
  /** Feature-type codes contained, in catalogue order. */
  types: string[];
  bounds: Bounds | null;
  /** Licence text or name from the metadata, null when nothing says. */
  license: string | null;
  /** Names of the fields that were guessed at ingestion. */
  guessed: string[];
  /** Keys in the object store; `archiveKey` is empty for a row without bytes behind it (generated catalogues). */
  archiveKey: string;
  indexKey: string;
  archiveSize: number;
  /** SHA-256 of the archive, lower-case hex. */
  archiveSha256: string;
  /** Directory inside the archive that holds the package, with `/` at its end, or ''. */
  rootPrefix: string;
  memberCount: number;
  /** Uncompressed bytes of all members. */
  memberBytes: number;
  /** Directories that are offered as metadata zips, with the zip's size in bytes. */
  metadataZips: Array<{ directory: MetadataDirectory; size: number }>;
  uploadName: string;
  /**
   * SHA-256 (lower-case hex) over path, size and CRC-32 of the upload's members: the same digest is the same package.
   */
  uploadDigest: string;
  /** Top-level features in all GML files. */
  features: number;
  /** GML files, or tiles. */
  files: number;
  issueCounts: { error: number; warning: number; info: number };
  /** ISO 8601, UTC. */
  ingestedAt: string;
  /** Facts of a tile package; null for CityGML. */
  dataset: DatasetSummary | null;
  /** What an inspection found; absent when there was none. */
  quality?: PackageQuality;
  /** GeoParquet of its features, one for each type; absent as long as there is none. */
  tables?: readonly PackageTable[];
  /** Pictures of a package of 3D Tiles; absent as long as nobody drew it. */
  pictures?: PackagePictures;
}

/** How a package of 3D Tiles looks. */
export interface PackagePictures {
  /** How they are drawn; a program that draws in another way draws them again. */
  version: number;
  /** None where the package has nothing to draw, or nothing of it can be read. */
  images: readonly PackagePicture[];
}

/** A picture of a package in one theme and size. */
export interface PackagePicture {
  theme: 'light' | 'dark';
  /** For links and wide places, or for lists. */
  size: 'large' | 'small';
  /** Key in the object store. */
  key: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
  /** Pixels. */
  width: number;
  height: number;
  mimeType: 'image/jpeg' | 'image/png';
}

/** The features of one type of a package as a GeoParquet file. */
export interface PackageTable {
  /** Feature-type code. */
  type: string;
  /** Key in the object store. */
  key: string;
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
  features: number;
  /** Form of the file; a program that writes another one makes it again. */
  version: number;
}

/** The sums of an inspection by the official rules of quality. */
export interface PackageQuality {
  /** Product specification. */
  spec: number;
  errors: number;
  warnings: number;
  /** True when nothing was passed over. */
  complete: boolean;
  /** `ingestion`: only the checks that look while a package is read have looked. Absent in rows of before. */
  scope?: 'ingestion' | 'inspection';
  /** ISO 8601, UTC. */
  checkedAt: string;
}

/** One place of a package where a rule of quality is broken. */
export interface FindingRow {
  /** Order in the report, from 0. */
  position: number;
  /** Code of the check. */
  code: string;
  /** Path of the GML file; null for what concerns the package. */
  file: string | null;
  /** gml:id. */
  id: string | null;
  ref: string | null;
  line: number | null;
  type: string | null;
  lod: number | null;
  message: string;
  /** Longitude and latitude in degrees, height in metres as in the file. */
  place: [lng: number, lat: number, height: number] | null;
  /** Values of the official table by column. */
  row: Record<string, string | number> | null;
}

export type MetadataDirectory = 'codelists' | 'metadata' | 'schemas' | 'specification';

/** What a tile package holds. */
export interface DatasetSummary {
  format: TileFormat;
  /** Feature-type code, e.g. `bldg`. */
  type: string;
  /** River, zone or other part below the type; null when the whole type is one dataset. */
  sub: DatasetSub | null;
  /** LOD of the rows; null when neither name nor data tells (the catalogue says `1` then). */
  lod: number | null;
  /** True when the package name names the LOD. */
  lodNamed: boolean;
  /** Two-digit LOD such as 33 for LOD 3.3; null otherwise. */
  lodEx: number | null;
  /** Textured or not; false for kinds that never are. */
  texture: boolean;
  /** True for indoor models; null where the concept does not apply. */
  interior: boolean | null;
  /** asset.version of the tileset, or null when unknown or MVT. */
  formatVersion: string | null;
  /** Path of the entry document in the package: `tileset.json`, or the template `{z}/{x}/{y}.mvt`. */
  entry: string;
  /** 3D Tiles: the root tile's volume in the root's parent frame (its transform applied), as the standard writes it. */
  boundingVolume: BoundingVolume | null;
  /** 3D Tiles: geometric error of the tileset, metres. */
  geometricError: number | null;
  /**
   * `[west, south, east, north, min height, max height]`, radians and metres above the ellipsoid: the volume as a
   * region.
   */
  region: [number, number, number, number, number, number] | null;
  /** 3D Tiles: what their heights were computed from, as `asset.extras.heights` says; left out where nothing says it. */
  heights?: string;
  /** MVT: TileJSON `vector_layers`. */
  vectorLayers: VectorLayer[] | null;
  minzoom: number | null;
  maxzoom: number | null;
}

/** A part below a feature type, in the form in which names of packages have it. */
export interface DatasetSub {
  /** Used in ids, `[a-z0-9_-]+`, e.g. `natl_kanogawa_kisegawa_l1`. */
  code: string;
  /** Name for people, e.g. `狩野川・黄瀬川 計画規模`, or the code when nothing better is known. */
  name: string;
  /** Flood types: who administers the river. */
  admin: 'natl' | 'pref' | null;
  river: string | null;
  /** `l1` planned scale, `l2` largest expected. */
  scale: 'l1' | 'l2' | null;
  scaleSuffix: string | null;
}

/** 3D Tiles 1.1, section 6.7.2.2. Exactly one key. Angles radians, lengths metres; box and sphere in ECEF. */
export type BoundingVolume = { region: number[] } | { box: number[] } | { sphere: number[] };

/** TileJSON 3.0.0, section 3.3. */
export interface VectorLayer {
  id: string;
  description?: string;
  minzoom?: number;
  maxzoom?: number;
  fields: Record<string, string>;
}

/** A GML file of a CityGML package. */
export interface GmlFileRow {
  packageNo: number;
  /** Path in the package, e.g. `udx/bldg/53394509_bldg_6697_op.gml`. */
  path: string;
  type: string;
  /** Mesh code, 4 to 11 digits; '' outside of the meshes of Japan. */
  mesh: string;
  /** True when the name has no mesh code and the extent gave it. */
  meshGuessed: boolean;
  /** Uncompressed bytes. */
  size: number;
  features: number;
  /** Features with geometry at each LOD; null where unknown. */
  lods: Array<number | null>;
  maxLod: number;
  /** Lower-case hex. */
  sha256: string;
  bounds: Bounds | null;
  minAlt: number | null;
  maxAlt: number | null;
  crs: string | null;
  /** Municipality or ward codes that its features name. */
  areaCodes: string[];
  wellFormed: boolean;
}

/** A GML file as lists of files have it: little is read of each, because a search may find ten thousand. */
export interface ListedFileRow extends Pick<GmlFileRow, 'packageNo' | 'type' | 'path' | 'mesh' | 'maxLod'> {
  /** JSON members, see `fileExtras`. */
  extras: string;
  /** Municipality or ward codes that its features name, with commas between: most readers need no list of them. */
  areaCodes: string;
}

/** What decides whether a file belongs to an answer. */
export type PlacedFileRow = Pick<ListedFileRow, 'packageNo' | 'type' | 'mesh' | 'areaCodes'> &
  Partial<Pick<ListedFileRow, 'path'>>;

/** The same with what sums are made of. */
export type MeasuredFileRow = PlacedFileRow & Pick<GmlFileRow, 'size' | 'features' | 'maxLod'>;

/** A name of the gazetteer. */
export interface PlaceRow {
  packageNo: number;
  /** Normalised (`catalogue/names/named-places.ts`), unique per package and kind. */
  name: string;
  kind: 'town' | 'building';
  bounds: Bounds;
}
