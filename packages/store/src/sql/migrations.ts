import { createHash } from 'node:crypto';

/** One step of the schema. Once released it is never changed: a database remembers the checksum of what it ran. */
export interface Migration {
  version: number;
  name: string;
  /**
   * True when programs that do not know it go on working beside it, as during an upgrade of several servers: it only
   * adds tables, indexes, and columns that may be null or have a default.
   */
  isAdditive?: boolean;
  statements: readonly string[];
}

/** What `schema_migration` keeps of a migration: SHA-256 of its statements, lower-case hex. */
export function migrationChecksum(migration: Migration): string {
  return createHash('sha256').update(migration.statements.join(';\n')).digest('hex');
}

/** Every step so far, by version without gaps. The notations are those of `driver.ts`. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'catalogue',
    statements: [
      `CREATE TABLE catalogue_version (
  -- There is one row.
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version BIGINT NOT NULL,
  -- The highest number that a package ever had; numbers are not used again.
  last_package_no INTEGER NOT NULL
)`,
      `INSERT INTO catalogue_version (one, version, last_package_no) VALUES (1, 0, 0)`,

      `CREATE TABLE catalogue_change (
  -- Which package each of the last versions changed; it may be forgotten since.
  version BIGINT NOT NULL,
  package_no INTEGER NOT NULL,
  PRIMARY KEY (version, package_no)
)`,

      `CREATE TABLE package (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  identity TEXT NOT NULL,
  name TEXT NOT NULL,
  asset_path TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live', 'retired', 'removed')),
  -- When it was last live, ms since 1970; null while it is.
  left_at BIGINT,
  pref_code TEXT NOT NULL,
  pref TEXT NOT NULL,
  city_code TEXT NOT NULL,
  city TEXT NOT NULL,
  ward_code TEXT,
  ward TEXT,
  -- JSON object, code to name.
  area_names TEXT NOT NULL,
  -- JSON object, part below a type to name.
  part_names TEXT NOT NULL,
  provider TEXT NOT NULL,
  year INTEGER NOT NULL,
  registration_year INTEGER NOT NULL,
  spec TEXT NOT NULL,
  revision TEXT NOT NULL,
  -- JSON array of strings.
  types TEXT NOT NULL,
  -- Degrees; all four null when there is no geometry.
  west DOUBLE PRECISION,
  south DOUBLE PRECISION,
  east DOUBLE PRECISION,
  north DOUBLE PRECISION,
  license TEXT,
  -- JSON array of strings.
  guessed TEXT NOT NULL,
  archive_key TEXT NOT NULL,
  index_key TEXT NOT NULL,
  archive_size BIGINT NOT NULL,
  archive_sha256 TEXT NOT NULL,
  root_prefix TEXT NOT NULL,
  member_count INTEGER NOT NULL,
  member_bytes BIGINT NOT NULL,
  -- JSON array of {directory, size}.
  metadata_zips TEXT NOT NULL,
  upload_name TEXT NOT NULL,
  upload_digest TEXT NOT NULL,
  features BIGINT NOT NULL,
  files INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  warnings INTEGER NOT NULL,
  infos INTEGER NOT NULL,
  ingested_at TEXT NOT NULL,
  -- JSON object, see DatasetSummary; null for CityGML.
  dataset TEXT
)`,
      // At most one live package per identity, whatever a program does.
      `CREATE UNIQUE INDEX package_live ON package (identity) WHERE state = 'live'`,
      `CREATE INDEX package_left ON package (left_at) WHERE state <> 'live'`,
      `CREATE INDEX package_identity ON package (identity)`,
      `CREATE INDEX package_name ON package (name)`,
      `CREATE INDEX package_upload ON package (upload_digest)`,
      `CREATE INDEX package_archive ON package (archive_key)`,
      `CREATE INDEX package_index ON package (index_key)`,

      `CREATE TABLE gml_file (
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  type TEXT COLLATE BINARY NOT NULL,
  path TEXT COLLATE BINARY NOT NULL,
  mesh TEXT COLLATE BINARY NOT NULL,
  mesh_guessed INTEGER NOT NULL,
  size BIGINT NOT NULL,
  features INTEGER NOT NULL,
  -- Features with geometry at each LOD; null where unknown.
  lod0 INTEGER,
  lod1 INTEGER,
  lod2 INTEGER,
  lod3 INTEGER,
  lod4 INTEGER,
  max_lod INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  west DOUBLE PRECISION,
  south DOUBLE PRECISION,
  east DOUBLE PRECISION,
  north DOUBLE PRECISION,
  min_alt DOUBLE PRECISION,
  max_alt DOUBLE PRECISION,
  crs TEXT,
  -- Codes with commas between.
  area_codes TEXT NOT NULL,
  well_formed INTEGER NOT NULL,
  -- JSON members that lists of files say of each, see fileExtras.
  extras TEXT NOT NULL,
  PRIMARY KEY (package_no, type, path)
)`,
      `CREATE INDEX gml_file_mesh ON gml_file (mesh, package_no, type)`,

      `CREATE TABLE place (
  name TEXT COLLATE BINARY NOT NULL,
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  west DOUBLE PRECISION NOT NULL,
  south DOUBLE PRECISION NOT NULL,
  east DOUBLE PRECISION NOT NULL,
  north DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (name, package_no, kind)
)`,
      `CREATE INDEX place_package ON place (package_no)`,

      `CREATE TABLE issue (
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Order in which ingestion reported it, from 0.
  position INTEGER NOT NULL,
  code TEXT NOT NULL,
  severity TEXT NOT NULL,
  message TEXT NOT NULL,
  member TEXT,
  line INTEGER,
  byte BIGINT,
  PRIMARY KEY (package_no, position)
)`,

      `CREATE TABLE intent (
  id TEXT PRIMARY KEY,
  staging TEXT,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  heartbeat_at BIGINT NOT NULL,
  abandoned INTEGER NOT NULL
)`,
      `CREATE TABLE intent_key (
  intent TEXT NOT NULL REFERENCES intent (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (intent, position)
)`,
      `CREATE INDEX intent_key_key ON intent_key (key)`,

      `CREATE TABLE garbage (
  key TEXT PRIMARY KEY,
  -- Since when nothing is meant to refer to it, ms since 1970.
  since BIGINT NOT NULL,
  -- The intent of the sweep that is deleting it.
  sweep TEXT
)`,

      `CREATE TABLE pack (
  -- Lower-case hex SHA-256 of its URLs.
  id TEXT PRIMARY KEY,
  status TEXT NOT NULL CHECK (status IN ('accepted', 'processing', 'succeeded', 'failed')),
  progress DOUBLE PRECISION NOT NULL,
  -- Grows whenever work on it begins or it starts again.
  run INTEGER NOT NULL,
  -- How often work on it has begun since it was accepted.
  tries INTEGER NOT NULL,
  -- SHA-256 of what it takes from which archives.
  content TEXT NOT NULL,
  -- Times are ms since 1970.
  accepted_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  expires_at BIGINT,
  -- Who works on it, and until when it counts as alive without a sign; a pack that was given back has no worker.
  worker TEXT,
  lease_until BIGINT,
  reason TEXT,
  size BIGINT,
  files INTEGER,
  digest TEXT,
  object_key TEXT,
  materialised INTEGER NOT NULL,
  -- JSON array of paths.
  missing TEXT NOT NULL,
  missing_count INTEGER NOT NULL,
  -- What it takes of the database, about, and of the object store.
  bytes BIGINT NOT NULL
)`,
      `CREATE INDEX pack_open ON pack (tries, accepted_at) WHERE status IN ('accepted', 'processing')`,
      `CREATE INDEX pack_expires ON pack (expires_at) WHERE expires_at IS NOT NULL`,

      `CREATE TABLE pack_source (
  pack TEXT NOT NULL REFERENCES pack (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  package_id TEXT NOT NULL,
  directory TEXT NOT NULL,
  archive_key TEXT NOT NULL,
  index_key TEXT NOT NULL,
  archive_sha256 TEXT NOT NULL,
  -- JSON arrays of strings.
  files TEXT NOT NULL,
  metadata TEXT NOT NULL,
  PRIMARY KEY (pack, position)
)`,
      `CREATE INDEX pack_source_archive ON pack_source (archive_key)`,
      `CREATE INDEX pack_source_index ON pack_source (index_key)`,
    ],
  },
  {
    version: 2,
    isAdditive: true,
    name: 'jobs',
    statements: [
      `CREATE TABLE job (
  -- UUID.
  id TEXT COLLATE BINARY PRIMARY KEY,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  -- JSON, what the kind needs to know.
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'failed', 'succeeded', 'dead', 'cancelled')),
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  -- Grows whenever work on it begins or a person retries it.
  run INTEGER NOT NULL,
  -- Of the jobs with the same text one runs at a time.
  exclusive TEXT,
  -- Of the open jobs with the same text there is one.
  unique_text TEXT,
  -- Object that belongs to the job.
  object_key TEXT,
  reason TEXT,
  progress_done DOUBLE PRECISION,
  progress_total DOUBLE PRECISION,
  progress_unit TEXT,
  progress_text TEXT,
  -- Times are ms since 1970.
  created_at BIGINT NOT NULL,
  -- Order among jobs that were asked for together.
  position INTEGER NOT NULL,
  available_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  -- Who works on it, and until when it counts as alive without a sign.
  worker TEXT,
  lease_until BIGINT,
  cancelling INTEGER NOT NULL,
  -- JSON, what the last attempt gave.
  result TEXT NOT NULL
)`,
      `CREATE INDEX job_open ON job (attempts, created_at, position) WHERE state IN ('queued', 'failed')`,
      `CREATE INDEX job_running ON job (lease_until) WHERE state = 'running'`,
      `CREATE INDEX job_newest ON job (created_at, position)`,
      `CREATE INDEX job_state ON job (state, created_at, position)`,
      `CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL`,
      `CREATE INDEX job_object ON job (object_key) WHERE object_key IS NOT NULL`,
      `CREATE UNIQUE INDEX job_unique ON job (unique_text) WHERE state IN ('queued', 'running', 'failed')`,
    ],
  },
  {
    version: 3,
    name: 'newest packs',
    isAdditive: true,
    statements: ['CREATE INDEX pack_newest ON pack (accepted_at)'],
  },
  {
    version: 4,
    name: 'jobs of packs',
    isAdditive: true,
    // Id of the job that makes it; null for packs that programs of older versions accepted.
    statements: ['ALTER TABLE pack ADD COLUMN job TEXT COLLATE BINARY'],
  },
  {
    version: 5,
    name: 'states of the catalogue',
    isAdditive: true,
    statements: [
      `CREATE TABLE catalogue_state (
  -- One of the last versions. Those that programs of older versions made are not here.
  version BIGINT PRIMARY KEY,
  -- UUID: a database that counts on from a copy of an earlier state gives the same numbers other identities.
  identity TEXT NOT NULL
)`,
    ],
  },
  {
    version: 6,
    name: 'owners and orphans of objects',
    isAdditive: true,
    statements: [
      `CREATE TABLE database_identity (
  -- There is one row.
  one INTEGER PRIMARY KEY CHECK (one = 1),
  -- UUID; an object of the store that belongs to this database has it, too.
  identity TEXT NOT NULL
)`,
      `CREATE TABLE orphan (
  -- Objects of packs that no row refers to. Each look at the objects notes them; times are ms since 1970.
  key TEXT PRIMARY KEY,
  first_seen BIGINT NOT NULL,
  last_seen BIGINT NOT NULL
)`,
      `CREATE INDEX orphan_last ON orphan (last_seen)`,
    ],
  },
  {
    version: 7,
    name: 'backups',
    isAdditive: true,
    statements: [
      `CREATE TABLE backup_run (
  -- Where the backups lie, as it was named.
  place TEXT PRIMARY KEY,
  -- The moment of the newest one, ms since 1970.
  cut_at BIGINT NOT NULL,
  -- Objects of packages that it lacks.
  faults INTEGER NOT NULL
)`,
    ],
  },
  {
    version: 8,
    name: 'when and what the catalogue changed',
    isAdditive: true,
    statements: [
      // By the clock of the database, ms since 1970. Programs of older versions leave these columns empty.
      'ALTER TABLE catalogue_state ADD COLUMN changed_at BIGINT',
      // The state of the package before; empty for one that was not there.
      'ALTER TABLE catalogue_change ADD COLUMN was TEXT',
      // The package may be forgotten since.
      'ALTER TABLE catalogue_change ADD COLUMN name TEXT',
      'ALTER TABLE catalogue_change ADD COLUMN asset_path TEXT',
      'ALTER TABLE catalogue_change ADD COLUMN pref_code TEXT',
      'ALTER TABLE catalogue_change ADD COLUMN city_code TEXT',
      'ALTER TABLE catalogue_change ADD COLUMN ward_code TEXT',
      'ALTER TABLE catalogue_change ADD COLUMN archive_key TEXT',
    ],
  },
  {
    version: 9,
    name: 'what inspections found',
    isAdditive: true,
    statements: [
      // JSON: specification, sums, and when; see PackageQuality. Empty for a package that was not inspected.
      'ALTER TABLE package ADD COLUMN quality TEXT',
      `CREATE TABLE quality_report (
  package_no INTEGER PRIMARY KEY REFERENCES package (no) ON DELETE CASCADE,
  -- JSON: the report without its places.
  report TEXT NOT NULL
)`,
      `CREATE TABLE finding (
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Order in the report, from 0.
  position INTEGER NOT NULL,
  -- Code of the check.
  code TEXT NOT NULL,
  file TEXT,
  feature_id TEXT,
  ref TEXT,
  line INTEGER,
  feature_type TEXT,
  lod INTEGER,
  message TEXT NOT NULL,
  lng DOUBLE PRECISION,
  lat DOUBLE PRECISION,
  height DOUBLE PRECISION,
  -- JSON: values of the official table by column.
  official_row TEXT,
  PRIMARY KEY (package_no, position)
)`,
      `CREATE INDEX finding_code ON finding (package_no, code, position)`,
    ],
  },
  {
    version: 10,
    name: 'what two editions differ in',
    isAdditive: true,
    statements: [
      `CREATE TABLE comparison (
  -- A UUID, another one whenever the packages are compared anew.
  list TEXT PRIMARY KEY,
  from_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  to_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Feature-type code.
  type TEXT NOT NULL,
  -- JSON: sums. Null while the list is not complete.
  summary TEXT
)`,
      `CREATE INDEX comparison_packages ON comparison (from_no, to_no, type)`,
      `CREATE INDEX comparison_to ON comparison (to_no)`,
      `CREATE TABLE difference (
  list TEXT NOT NULL REFERENCES comparison (list) ON DELETE CASCADE,
  -- Order in the list, from 0.
  position INTEGER NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('added', 'removed', 'changed')),
  -- Degrees; all four null for a feature without geometry.
  west DOUBLE PRECISION,
  south DOUBLE PRECISION,
  east DOUBLE PRECISION,
  north DOUBLE PRECISION,
  -- JSON: all that is told of it.
  facts TEXT NOT NULL,
  PRIMARY KEY (list, position)
)`,
      `CREATE INDEX difference_change ON difference (list, change, position)`,
    ],
  },
  {
    version: 11,
    name: 'tables of features',
    isAdditive: true,
    statements: [
      // JSON: what each table is, see PackageTable. Empty for a package of which there are none yet.
      'ALTER TABLE package ADD COLUMN tables TEXT',
      `CREATE TABLE package_object (
  -- Objects that belong to a package beside its archive and index.
  object_key TEXT PRIMARY KEY,
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Lower-case hex.
  sha256 TEXT NOT NULL,
  -- Base64: CRC-32 of each page of 32 KiB, as an index has those of an archive.
  sums TEXT NOT NULL
)`,
      `CREATE INDEX package_object_package ON package_object (package_no)`,
    ],
  },
  {
    version: 12,
    name: 'pictures of packages',
    isAdditive: true,
    // JSON: see PackagePictures. Empty for a package that nobody drew yet.
    statements: ['ALTER TABLE package ADD COLUMN pictures TEXT'],
  },
];
