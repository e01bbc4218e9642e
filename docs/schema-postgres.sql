-- What the migrations run on PostgreSQL, one after the other. Written by scripts/dump-schema.ts, not by hand.

-- Migration 1: catalogue.

CREATE TABLE catalogue_version (
  -- There is one row.
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version BIGINT NOT NULL,
  -- The highest number that a package ever had; numbers are not used again.
  last_package_no INTEGER NOT NULL
);

INSERT INTO catalogue_version (one, version, last_package_no) VALUES (1, 0, 0);

CREATE TABLE catalogue_change (
  -- Which package each of the last versions changed; it may be forgotten since.
  version BIGINT NOT NULL,
  package_no INTEGER NOT NULL,
  PRIMARY KEY (version, package_no)
);

CREATE TABLE package (
  no INTEGER PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  kind TEXT COLLATE "C" NOT NULL,
  identity TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  asset_path TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('live', 'retired', 'removed')),
  -- When it was last live, ms since 1970; null while it is.
  left_at BIGINT,
  pref_code TEXT COLLATE "C" NOT NULL,
  pref TEXT COLLATE "C" NOT NULL,
  city_code TEXT COLLATE "C" NOT NULL,
  city TEXT COLLATE "C" NOT NULL,
  ward_code TEXT COLLATE "C",
  ward TEXT COLLATE "C",
  -- JSON object, code to name.
  area_names TEXT COLLATE "C" NOT NULL,
  -- JSON object, part below a type to name.
  part_names TEXT COLLATE "C" NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  year INTEGER NOT NULL,
  registration_year INTEGER NOT NULL,
  spec TEXT COLLATE "C" NOT NULL,
  revision TEXT COLLATE "C" NOT NULL,
  -- JSON array of strings.
  types TEXT COLLATE "C" NOT NULL,
  -- Degrees; all four null when there is no geometry.
  west DOUBLE PRECISION,
  south DOUBLE PRECISION,
  east DOUBLE PRECISION,
  north DOUBLE PRECISION,
  license TEXT COLLATE "C",
  -- JSON array of strings.
  guessed TEXT COLLATE "C" NOT NULL,
  archive_key TEXT COLLATE "C" NOT NULL,
  index_key TEXT COLLATE "C" NOT NULL,
  archive_size BIGINT NOT NULL,
  archive_sha256 TEXT COLLATE "C" NOT NULL,
  root_prefix TEXT COLLATE "C" NOT NULL,
  member_count INTEGER NOT NULL,
  member_bytes BIGINT NOT NULL,
  -- JSON array of {directory, size}.
  metadata_zips TEXT COLLATE "C" NOT NULL,
  upload_name TEXT COLLATE "C" NOT NULL,
  upload_digest TEXT COLLATE "C" NOT NULL,
  features BIGINT NOT NULL,
  files INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  warnings INTEGER NOT NULL,
  infos INTEGER NOT NULL,
  ingested_at TEXT COLLATE "C" NOT NULL,
  -- JSON object, see DatasetSummary; null for CityGML.
  dataset TEXT COLLATE "C"
);

CREATE UNIQUE INDEX package_live ON package (identity) WHERE state = 'live';

CREATE INDEX package_left ON package (left_at) WHERE state <> 'live';

CREATE INDEX package_identity ON package (identity);

CREATE INDEX package_name ON package (name);

CREATE INDEX package_upload ON package (upload_digest);

CREATE INDEX package_archive ON package (archive_key);

CREATE INDEX package_index ON package (index_key);

CREATE TABLE gml_file (
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  type TEXT COLLATE "C" NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  mesh TEXT COLLATE "C" NOT NULL,
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
  sha256 TEXT COLLATE "C" NOT NULL,
  west DOUBLE PRECISION,
  south DOUBLE PRECISION,
  east DOUBLE PRECISION,
  north DOUBLE PRECISION,
  min_alt DOUBLE PRECISION,
  max_alt DOUBLE PRECISION,
  crs TEXT COLLATE "C",
  -- Codes with commas between.
  area_codes TEXT COLLATE "C" NOT NULL,
  well_formed INTEGER NOT NULL,
  -- JSON members that lists of files say of each, see fileExtras.
  extras TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (package_no, type, path)
);

CREATE INDEX gml_file_mesh ON gml_file (mesh, package_no, type);

CREATE TABLE place (
  name TEXT COLLATE "C" NOT NULL,
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL,
  west DOUBLE PRECISION NOT NULL,
  south DOUBLE PRECISION NOT NULL,
  east DOUBLE PRECISION NOT NULL,
  north DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (name, package_no, kind)
);

CREATE INDEX place_package ON place (package_no);

CREATE TABLE issue (
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Order in which ingestion reported it, from 0.
  position INTEGER NOT NULL,
  code TEXT COLLATE "C" NOT NULL,
  severity TEXT COLLATE "C" NOT NULL,
  message TEXT COLLATE "C" NOT NULL,
  member TEXT COLLATE "C",
  line INTEGER,
  byte BIGINT,
  PRIMARY KEY (package_no, position)
);

CREATE TABLE intent (
  id TEXT COLLATE "C" PRIMARY KEY,
  staging TEXT COLLATE "C",
  host TEXT COLLATE "C" NOT NULL,
  pid INTEGER NOT NULL,
  heartbeat_at BIGINT NOT NULL,
  abandoned INTEGER NOT NULL
);

CREATE TABLE intent_key (
  intent TEXT COLLATE "C" NOT NULL REFERENCES intent (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (intent, position)
);

CREATE INDEX intent_key_key ON intent_key (key);

CREATE TABLE garbage (
  key TEXT COLLATE "C" PRIMARY KEY,
  -- Since when nothing is meant to refer to it, ms since 1970.
  since BIGINT NOT NULL,
  -- The intent of the sweep that is deleting it.
  sweep TEXT COLLATE "C"
);

CREATE TABLE pack (
  -- Lower-case hex SHA-256 of its URLs.
  id TEXT COLLATE "C" PRIMARY KEY,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('accepted', 'processing', 'succeeded', 'failed')),
  progress DOUBLE PRECISION NOT NULL,
  -- Grows whenever work on it begins or it starts again.
  run INTEGER NOT NULL,
  -- How often work on it has begun since it was accepted.
  tries INTEGER NOT NULL,
  -- SHA-256 of what it takes from which archives.
  content TEXT COLLATE "C" NOT NULL,
  -- Times are ms since 1970.
  accepted_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  expires_at BIGINT,
  -- Who works on it, and until when it counts as alive without a sign; a pack that was given back has no worker.
  worker TEXT COLLATE "C",
  lease_until BIGINT,
  reason TEXT COLLATE "C",
  size BIGINT,
  files INTEGER,
  digest TEXT COLLATE "C",
  object_key TEXT COLLATE "C",
  materialised INTEGER NOT NULL,
  -- JSON array of paths.
  missing TEXT COLLATE "C" NOT NULL,
  missing_count INTEGER NOT NULL,
  -- What it takes of the database, about, and of the object store.
  bytes BIGINT NOT NULL
);

CREATE INDEX pack_open ON pack (tries, accepted_at) WHERE status IN ('accepted', 'processing');

CREATE INDEX pack_expires ON pack (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE pack_source (
  pack TEXT COLLATE "C" NOT NULL REFERENCES pack (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  package_id TEXT COLLATE "C" NOT NULL,
  directory TEXT COLLATE "C" NOT NULL,
  archive_key TEXT COLLATE "C" NOT NULL,
  index_key TEXT COLLATE "C" NOT NULL,
  archive_sha256 TEXT COLLATE "C" NOT NULL,
  -- JSON arrays of strings.
  files TEXT COLLATE "C" NOT NULL,
  metadata TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (pack, position)
);

CREATE INDEX pack_source_archive ON pack_source (archive_key);

CREATE INDEX pack_source_index ON pack_source (index_key);

-- Migration 2: jobs; programs that do not know it go on working.

CREATE TABLE job (
  -- UUID.
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  -- JSON, what the kind needs to know.
  payload TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'failed', 'succeeded', 'dead', 'cancelled')),
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  -- Grows whenever work on it begins or a person retries it.
  run INTEGER NOT NULL,
  -- Of the jobs with the same text one runs at a time.
  exclusive TEXT COLLATE "C",
  -- Of the open jobs with the same text there is one.
  unique_text TEXT COLLATE "C",
  -- Object that belongs to the job.
  object_key TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  progress_done DOUBLE PRECISION,
  progress_total DOUBLE PRECISION,
  progress_unit TEXT COLLATE "C",
  progress_text TEXT COLLATE "C",
  -- Times are ms since 1970.
  created_at BIGINT NOT NULL,
  -- Order among jobs that were asked for together.
  position INTEGER NOT NULL,
  available_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  -- Who works on it, and until when it counts as alive without a sign.
  worker TEXT COLLATE "C",
  lease_until BIGINT,
  cancelling INTEGER NOT NULL,
  -- JSON, what the last attempt gave.
  result TEXT COLLATE "C" NOT NULL
);

CREATE INDEX job_open ON job (attempts, created_at, position) WHERE state IN ('queued', 'failed');

CREATE INDEX job_running ON job (lease_until) WHERE state = 'running';

CREATE INDEX job_newest ON job (created_at, position);

CREATE INDEX job_state ON job (state, created_at, position);

CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

CREATE INDEX job_object ON job (object_key) WHERE object_key IS NOT NULL;

CREATE UNIQUE INDEX job_unique ON job (unique_text) WHERE state IN ('queued', 'running', 'failed');

-- Migration 3: newest packs; programs that do not know it go on working.

CREATE INDEX pack_newest ON pack (accepted_at);

-- Migration 4: jobs of packs; programs that do not know it go on working.

ALTER TABLE pack ADD COLUMN job TEXT COLLATE "C";

-- Migration 5: states of the catalogue; programs that do not know it go on working.

CREATE TABLE catalogue_state (
  -- One of the last versions. Those that programs of older versions made are not here.
  version BIGINT PRIMARY KEY,
  -- UUID: a database that counts on from a copy of an earlier state gives the same numbers other identities.
  identity TEXT COLLATE "C" NOT NULL
);

-- Migration 6: owners and orphans of objects; programs that do not know it go on working.

CREATE TABLE database_identity (
  -- There is one row.
  one INTEGER PRIMARY KEY CHECK (one = 1),
  -- UUID; an object of the store that belongs to this database has it, too.
  identity TEXT COLLATE "C" NOT NULL
);

CREATE TABLE orphan (
  -- Objects of packs that no row refers to. Each look at the objects notes them; times are ms since 1970.
  key TEXT COLLATE "C" PRIMARY KEY,
  first_seen BIGINT NOT NULL,
  last_seen BIGINT NOT NULL
);

CREATE INDEX orphan_last ON orphan (last_seen);

-- Migration 7: backups; programs that do not know it go on working.

CREATE TABLE backup_run (
  -- Where the backups lie, as it was named.
  place TEXT COLLATE "C" PRIMARY KEY,
  -- The moment of the newest one, ms since 1970.
  cut_at BIGINT NOT NULL,
  -- Objects of packages that it lacks.
  faults INTEGER NOT NULL
);

-- Migration 8: when and what the catalogue changed; programs that do not know it go on working.

ALTER TABLE catalogue_state ADD COLUMN changed_at BIGINT;

ALTER TABLE catalogue_change ADD COLUMN was TEXT COLLATE "C";

ALTER TABLE catalogue_change ADD COLUMN name TEXT COLLATE "C";

ALTER TABLE catalogue_change ADD COLUMN asset_path TEXT COLLATE "C";

ALTER TABLE catalogue_change ADD COLUMN pref_code TEXT COLLATE "C";

ALTER TABLE catalogue_change ADD COLUMN city_code TEXT COLLATE "C";

ALTER TABLE catalogue_change ADD COLUMN ward_code TEXT COLLATE "C";

ALTER TABLE catalogue_change ADD COLUMN archive_key TEXT COLLATE "C";

-- Migration 9: what inspections found; programs that do not know it go on working.

ALTER TABLE package ADD COLUMN quality TEXT COLLATE "C";

CREATE TABLE quality_report (
  package_no INTEGER PRIMARY KEY REFERENCES package (no) ON DELETE CASCADE,
  -- JSON: the report without its places.
  report TEXT COLLATE "C" NOT NULL
);

CREATE TABLE finding (
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Order in the report, from 0.
  position INTEGER NOT NULL,
  -- Code of the check.
  code TEXT COLLATE "C" NOT NULL,
  file TEXT COLLATE "C",
  feature_id TEXT COLLATE "C",
  ref TEXT COLLATE "C",
  line INTEGER,
  feature_type TEXT COLLATE "C",
  lod INTEGER,
  message TEXT COLLATE "C" NOT NULL,
  lng DOUBLE PRECISION,
  lat DOUBLE PRECISION,
  height DOUBLE PRECISION,
  -- JSON: values of the official table by column.
  official_row TEXT COLLATE "C",
  PRIMARY KEY (package_no, position)
);

CREATE INDEX finding_code ON finding (package_no, code, position);

-- Migration 10: what two editions differ in; programs that do not know it go on working.

CREATE TABLE comparison (
  -- A UUID, another one whenever the packages are compared anew.
  list TEXT COLLATE "C" PRIMARY KEY,
  from_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  to_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Feature-type code.
  type TEXT COLLATE "C" NOT NULL,
  -- JSON: sums. Null while the list is not complete.
  summary TEXT COLLATE "C"
);

CREATE INDEX comparison_packages ON comparison (from_no, to_no, type);

CREATE INDEX comparison_to ON comparison (to_no);

CREATE TABLE difference (
  list TEXT COLLATE "C" NOT NULL REFERENCES comparison (list) ON DELETE CASCADE,
  -- Order in the list, from 0.
  position INTEGER NOT NULL,
  change TEXT COLLATE "C" NOT NULL CHECK (change IN ('added', 'removed', 'changed')),
  -- Degrees; all four null for a feature without geometry.
  west DOUBLE PRECISION,
  south DOUBLE PRECISION,
  east DOUBLE PRECISION,
  north DOUBLE PRECISION,
  -- JSON: all that is told of it.
  facts TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (list, position)
);

CREATE INDEX difference_change ON difference (list, change, position);

-- Migration 11: tables of features; programs that do not know it go on working.

ALTER TABLE package ADD COLUMN tables TEXT COLLATE "C";

CREATE TABLE package_object (
  -- Objects that belong to a package beside its archive and index.
  object_key TEXT COLLATE "C" PRIMARY KEY,
  package_no INTEGER NOT NULL REFERENCES package (no) ON DELETE CASCADE,
  -- Lower-case hex.
  sha256 TEXT COLLATE "C" NOT NULL,
  -- Base64: CRC-32 of each page of 32 KiB, as an index has those of an archive.
  sums TEXT COLLATE "C" NOT NULL
);

CREATE INDEX package_object_package ON package_object (package_no);

-- Migration 12: pictures of packages; programs that do not know it go on working.

ALTER TABLE package ADD COLUMN pictures TEXT COLLATE "C";
