/**
 * How rows of tables and objects correspond: each table's columns with the value that goes in, and the way back.
 * Nothing else knows the order of columns.
 */
import type { Issue } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import type { Intent } from '../catalogue-store.ts';
import { fileExtras } from '../file-extras.ts';
import type {
  FindingRow,
  GmlFileRow,
  ListedFileRow,
  MeasuredFileRow,
  PackageRow,
  PlaceRow,
} from '../rows.ts';
import type { SqlRow } from './driver.ts';
import { type Table, table, valuesOf } from './table.ts';

const packages = table('package', {
  no: (p: PackageRow) => p.no,
  id: (p) => p.id,
  kind: (p) => p.kind,
  identity: (p) => p.identity,
  name: (p) => p.name,
  asset_path: (p) => p.assetPath,
  state: (p) => p.state,
  pref_code: (p) => p.prefCode,
  pref: (p) => p.pref,
  city_code: (p) => p.cityCode,
  city: (p) => p.city,
  ward_code: (p) => p.wardCode,
  ward: (p) => p.ward,
  area_names: (p) => JSON.stringify(p.areaNames),
  part_names: (p) => JSON.stringify(p.partNames),
  provider: (p) => p.provider,
  year: (p) => p.year,
  registration_year: (p) => p.registrationYear,
  spec: (p) => p.spec,
  revision: (p) => p.revision,
  types: (p) => JSON.stringify(p.types),
  west: (p) => p.bounds?.west ?? null,
  south: (p) => p.bounds?.south ?? null,
  east: (p) => p.bounds?.east ?? null,
  north: (p) => p.bounds?.north ?? null,
  license: (p) => p.license,
  guessed: (p) => JSON.stringify(p.guessed),
  archive_key: (p) => p.archiveKey,
  index_key: (p) => p.indexKey,
  archive_size: (p) => p.archiveSize,
  archive_sha256: (p) => p.archiveSha256,
  root_prefix: (p) => p.rootPrefix,
  member_count: (p) => p.memberCount,
  member_bytes: (p) => p.memberBytes,
  metadata_zips: (p) => JSON.stringify(p.metadataZips),
  upload_name: (p) => p.uploadName,
  upload_digest: (p) => p.uploadDigest,
  features: (p) => p.features,
  files: (p) => p.files,
  errors: (p) => p.issueCounts.error,
  warnings: (p) => p.issueCounts.warning,
  infos: (p) => p.issueCounts.info,
  ingested_at: (p) => p.ingestedAt,
  dataset: (p) => (p.dataset === null ? null : JSON.stringify(p.dataset)),
  quality: (p) => (p.quality === undefined ? null : JSON.stringify(p.quality)),
  tables: (p) => (p.tables === undefined ? null : JSON.stringify(p.tables)),
  pictures: (p) => (p.pictures === undefined ? null : JSON.stringify(p.pictures)),
});
export const PACKAGE: Table<PackageRow> = packages.table;

/** Longer texts are hardly ever the same. */
const SHARED_LENGTH = 200;

/**
 * Reads rows of packages. Thousands of packages say the same of their prefecture, municipality or types: each of such
 * values is one string or one frozen object for all rows that a reader reads.
 */
export class PackageReader {
  readonly #texts = new Map<string, string>();
  readonly #parsed = new Map<string, unknown>();

  read(row: SqlRow): PackageRow {
    const { at } = packages;
    const r = valuesOf(row);
    return {
      no: r[at.no]!,
      id: r[at.id]!,
      kind: this.#shared(r[at.kind]!),
      identity: r[at.identity]!,
      name: r[at.name]!,
      assetPath: r[at.asset_path]!,
      state: this.#shared(r[at.state]!),
      prefCode: this.#shared(r[at.pref_code]!),
      pref: this.#shared(r[at.pref]!),
      cityCode: this.#shared(r[at.city_code]!),
      city: this.#shared(r[at.city]!),
      wardCode: this.#shared(r[at.ward_code]!),
      ward: this.#shared(r[at.ward]!),
      areaNames: this.#fromJson(r[at.area_names]!),
      partNames: this.#fromJson(r[at.part_names]!),
      provider: this.#shared(r[at.provider]!),
      year: r[at.year]!,
      registrationYear: r[at.registration_year]!,
      spec: this.#shared(r[at.spec]!),
      revision: this.#shared(r[at.revision]!),
      types: this.#fromJson(r[at.types]!),
      bounds: boundsFromRow(row, at.west),
      license: this.#shared(r[at.license]!),
      guessed: this.#fromJson(r[at.guessed]!),
      archiveKey: r[at.archive_key]!,
      indexKey: r[at.index_key]!,
      archiveSize: r[at.archive_size]!,
      archiveSha256: r[at.archive_sha256]!,
      rootPrefix: this.#shared(r[at.root_prefix]!),
      memberCount: r[at.member_count]!,
      memberBytes: r[at.member_bytes]!,
      metadataZips: this.#fromJson(r[at.metadata_zips]!),
      uploadName: r[at.upload_name]!,
      uploadDigest: r[at.upload_digest]!,
      features: r[at.features]!,
      files: r[at.files]!,
      issueCounts: { error: r[at.errors]!, warning: r[at.warnings]!, info: r[at.infos]! },
      ingestedAt: this.#shared(r[at.ingested_at]!),
      dataset: r[at.dataset] === null ? null : JSON.parse(r[at.dataset]!),
      ...(r[at.quality] === null ? {} : { quality: JSON.parse(r[at.quality]!) }),
      ...(r[at.tables] === null ? {} : { tables: JSON.parse(r[at.tables]!) }),
      ...(r[at.pictures] === null ? {} : { pictures: JSON.parse(r[at.pictures]!) }),
    };
  }

  #shared(text: string | null): never {
    if (text === null || text.length > SHARED_LENGTH) return text as never;
    const known = this.#texts.get(text);
    if (known !== undefined) return known as never;
    this.#texts.set(text, text);
    return text as never;
  }

  #fromJson(text: string): never {
    if (text.length > SHARED_LENGTH) return JSON.parse(text) as never;
    let value = this.#parsed.get(text);
    if (value === undefined) {
      value = Object.freeze(JSON.parse(text));
      this.#parsed.set(text, value);
    }
    return value as never;
  }
}

/** A row by itself. */
export function packageFromRow(row: SqlRow): PackageRow {
  return new PackageReader().read(row);
}

const gmlFiles = table('gml_file', {
  package_no: (f: GmlFileRow) => f.packageNo,
  type: (f) => f.type,
  path: (f) => f.path,
  mesh: (f) => f.mesh,
  mesh_guessed: (f) => Number(f.meshGuessed),
  size: (f) => f.size,
  features: (f) => f.features,
  lod0: (f) => f.lods[0] ?? null,
  lod1: (f) => f.lods[1] ?? null,
  lod2: (f) => f.lods[2] ?? null,
  lod3: (f) => f.lods[3] ?? null,
  lod4: (f) => f.lods[4] ?? null,
  max_lod: (f) => f.maxLod,
  sha256: (f) => f.sha256,
  west: (f) => f.bounds?.west ?? null,
  south: (f) => f.bounds?.south ?? null,
  east: (f) => f.bounds?.east ?? null,
  north: (f) => f.bounds?.north ?? null,
  min_alt: (f) => f.minAlt,
  max_alt: (f) => f.maxAlt,
  crs: (f) => f.crs,
  area_codes: (f) => f.areaCodes.join(','),
  well_formed: (f) => Number(f.wellFormed),
  // Last, and read for lists alone.
  extras: fileExtras,
});
export const GML_FILE: Table<GmlFileRow> = gmlFiles.table;
/** What `gmlFileFromRow` reads. */
export const GML_FILE_COLUMNS: readonly string[] = GML_FILE.columns.slice(0, -1);

/** What `listedFileFromRow` reads. */
export const LISTED_FILE_COLUMNS: readonly string[] = [
  'package_no',
  'type',
  'path',
  'mesh',
  'max_lod',
  'extras',
  'area_codes',
];

export function listedFileFromRow(row: SqlRow): ListedFileRow {
  const [packageNo, type, path, mesh, maxLod, extras, areaCodes] = row as [
    number,
    string,
    string,
    string,
    number,
    string,
    string,
  ];
  return { packageNo, type, path, mesh, maxLod, extras, areaCodes };
}

/** What `placedFileFromRow` reads. */
export const PLACED_FILE_COLUMNS: readonly string[] = [
  'package_no',
  'type',
  'mesh',
  'area_codes',
  'size',
  'features',
  'max_lod',
];

export function placedFileFromRow(row: SqlRow): MeasuredFileRow {
  const [packageNo, type, mesh, areaCodes, size, features, maxLod] = row as [
    number,
    string,
    string,
    string,
    number,
    number,
    number,
  ];
  return { packageNo, type, mesh, areaCodes, size, features, maxLod };
}

export function gmlFileFromRow(row: SqlRow): GmlFileRow {
  const { at } = gmlFiles;
  const r = valuesOf(row);
  const areaCodes: string = r[at.area_codes]!;
  return {
    packageNo: r[at.package_no]!,
    path: r[at.path]!,
    type: r[at.type]!,
    mesh: r[at.mesh]!,
    meshGuessed: r[at.mesh_guessed] === 1,
    size: r[at.size]!,
    features: r[at.features]!,
    lods: [r[at.lod0]!, r[at.lod1]!, r[at.lod2]!, r[at.lod3]!, r[at.lod4]!],
    maxLod: r[at.max_lod]!,
    sha256: r[at.sha256]!,
    bounds: boundsFromRow(row, at.west),
    minAlt: r[at.min_alt]!,
    maxAlt: r[at.max_alt]!,
    crs: r[at.crs]!,
    areaCodes: areaCodes === '' ? [] : areaCodes.split(','),
    wellFormed: r[at.well_formed] === 1,
  };
}

const places = table('place', {
  package_no: (p: PlaceRow) => p.packageNo,
  name: (p) => p.name,
  kind: (p) => p.kind,
  west: (p) => p.bounds.west,
  south: (p) => p.bounds.south,
  east: (p) => p.bounds.east,
  north: (p) => p.bounds.north,
});
export const PLACE: Table<PlaceRow> = places.table;

export function placeFromRow(row: SqlRow): PlaceRow {
  const { at } = places;
  const r = valuesOf(row);
  return {
    packageNo: r[at.package_no]!,
    name: r[at.name]!,
    kind: r[at.kind]!,
    bounds: boundsFromRow(row, at.west)!,
  };
}

const issues = table('issue', {
  package_no: (i: Issue & { packageNo: number; position: number }) => i.packageNo,
  position: (i) => i.position,
  code: (i) => i.code,
  severity: (i) => i.severity,
  message: (i) => i.message,
  member: (i) => i.member,
  line: (i) => i.line ?? null,
  byte: (i) => i.byte ?? null,
});
export const ISSUE: Table<Issue & { packageNo: number; position: number }> = issues.table;

export function issueFromRow(row: SqlRow): Issue {
  const { at } = issues;
  const r = valuesOf(row);
  return {
    code: r[at.code]!,
    severity: r[at.severity]!,
    message: r[at.message]!,
    member: r[at.member]!,
    ...(r[at.line] === null ? {} : { line: r[at.line]! }),
    ...(r[at.byte] === null ? {} : { byte: r[at.byte]! }),
  };
}

const findings = table('finding', {
  package_no: (f: FindingRow & { packageNo: number }) => f.packageNo,
  position: (f) => f.position,
  code: (f) => f.code,
  file: (f) => f.file,
  feature_id: (f) => f.id,
  ref: (f) => f.ref,
  line: (f) => f.line,
  feature_type: (f) => f.type,
  lod: (f) => f.lod,
  message: (f) => f.message,
  lng: (f) => f.place?.[0] ?? null,
  lat: (f) => f.place?.[1] ?? null,
  height: (f) => f.place?.[2] ?? null,
  official_row: (f) => (f.row === null ? null : JSON.stringify(f.row)),
});
export const FINDING: Table<FindingRow & { packageNo: number }> = findings.table;

export function findingFromRow(row: SqlRow): FindingRow {
  const { at } = findings;
  const r = valuesOf(row);
  return {
    position: r[at.position]!,
    code: r[at.code]!,
    file: r[at.file]!,
    id: r[at.feature_id]!,
    ref: r[at.ref]!,
    line: r[at.line]!,
    type: r[at.feature_type]!,
    lod: r[at.lod]!,
    message: r[at.message]!,
    place: r[at.lng] === null ? null : [r[at.lng]!, r[at.lat]!, r[at.height]!],
    row: r[at.official_row] === null ? null : JSON.parse(r[at.official_row]!),
  };
}

const reports = table('quality_report', {
  package_no: (q: { packageNo: number; report: string }) => q.packageNo,
  report: (q) => q.report,
});
export const QUALITY_REPORT: Table<{ packageNo: number; report: string }> = reports.table;

/** An object of a package beside its archive and index. */
export interface PackageObject {
  key: string;
  packageNo: number;
  sha256: string;
  /** Base64: CRC-32 of each page. */
  sums: string;
}

const packageObjects = table('package_object', {
  object_key: (o: PackageObject) => o.key,
  package_no: (o) => o.packageNo,
  sha256: (o) => o.sha256,
  sums: (o) => o.sums,
});
export const PACKAGE_OBJECT: Table<PackageObject> = packageObjects.table;

const intents = table('intent', {
  id: (i: Intent) => i.id,
  staging: (i) => i.staging,
  host: (i) => i.host,
  pid: (i) => i.pid,
  heartbeat_at: (i) => i.heartbeatAt,
  abandoned: (i) => Number(i.abandoned === true),
});
/** The keys of an intent are rows of a table of their own. */
export const INTENT: Table<Intent> = intents.table;

export function intentFromRow(row: SqlRow, keys: string[]): Intent {
  const { at } = intents;
  const r = valuesOf(row);
  return {
    id: r[at.id]!,
    keys,
    staging: r[at.staging]!,
    host: r[at.host]!,
    pid: r[at.pid]!,
    heartbeatAt: r[at.heartbeat_at]!,
    abandoned: r[at.abandoned] === 1,
  };
}

/** Bounds whose four columns follow each other from `at`: west, south, east, north. */
function boundsFromRow(row: SqlRow, at: number): Bounds | null {
  const r = valuesOf(row);
  if (r[at] === null) return null;
  return { west: r[at]!, south: r[at + 1]!, east: r[at + 2]!, north: r[at + 3]! };
}
