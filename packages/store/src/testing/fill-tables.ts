import type { SqlDriver } from '../sql/driver.ts';

/**
 * Rows that make every table of a migrated database large: packages with files, places and issues, packs, jobs,
 * garbage. Those of packages are added to what is there only when `packages` is above 0.
 */
export async function fillTables(driver: SqlDriver, { packages }: { packages: number }): Promise<void> {
  await driver.write(null, async (tx) => {
    const fill = (table: string, columns: Record<string, string>, rows: number, from = '') =>
      tx.run(
        `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) ` +
          `SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, ${rows}) i${from}`,
      );
    if (packages > 0) {
      await fill('package', filledPackage(), packages);
      await tx.run(`UPDATE catalogue_version SET version = ${packages}, last_package_no = ${packages}`);
      await fill('catalogue_state', { version: `${packages} - i + 1`, identity: "'i' || i" }, 1_000);
      await fill('catalogue_change', { version: `${packages} - i + 1`, package_no: 'i' }, 1_000);
      await fill('gml_file', FILLED_FILE, packages, `, generate_series(1, 10) j`);
      await fill(
        'place',
        { ...FILLED_BOX, name: "'町' || i % 1000", package_no: 'i', kind: "'town'" },
        packages,
      );
    }
    const first = 'SELECT min(no) FROM package';
    await fill(
      'issue',
      {
        package_no: `(${first}) + i % 10`,
        position: '1000000 + i',
        code: "'C'",
        severity: "'info'",
        message: "'m'",
      },
      20_000,
    );
    await fill(
      'finding',
      { package_no: `(${first}) + i % 10`, position: 'i', code: "'C' || i % 50", message: "'m'" },
      20_000,
    );
    await fill(
      'comparison',
      {
        list: "'list-' || i",
        from_no: `(${first}) + i % 3`,
        to_no: `(${first}) + 4 + i % 3`,
        type: "'t' || i",
      },
      20_000,
    );
    await fill(
      'difference',
      { list: "'list-' || i % 10", position: 'i', change: "'added'", facts: "'{}'" },
      20_000,
      ' WHERE i % 10 > 0',
    );
    await fill(
      'package_object',
      { object_key: "'tables/' || i", package_no: `(${first}) + i % 10`, sha256: "'0'", sums: "''" },
      20_000,
    );
    await fill('pack', FILLED_PACK, 20_000);
    await fill('pack_source', FILLED_SOURCE, 20_000);
    await fill('job', FILLED_JOB, 20_000);
    await fill('orphan', { key: "'packs/' || i", first_seen: 'i', last_seen: '1900000000000' }, 20_000);
    await fill('garbage', { key: "'garbage/' || i", since: '1' }, 20_000);
  });
  await driver.write(null, (tx) => tx.run('ANALYZE'));
}

const FILLED_BOX = { west: '139', south: '35', east: '140', north: '36' };
const FILLED_FILE = {
  ...FILLED_BOX,
  package_no: 'i',
  type: "CASE WHEN j % 2 = 0 THEN 'bldg' ELSE 'tran' END",
  path: "'udx/' || j",
  mesh: "'5339' || lpad(((i * 10 + j) % 10000)::text, 4, '0')",
  mesh_guessed: '0',
  size: '1',
  features: '1',
  max_lod: '1',
  sha256: "'h'",
  area_codes: "'13101'",
  well_formed: '1',
  extras: "repeat('x', 300)",
};
const FILLED_PACK = {
  id: "'pack-' || i",
  status: "'succeeded'",
  progress: '1',
  run: '1',
  tries: '1',
  content: "'c'",
  accepted_at: 'i',
  expires_at: '1900000000000 + i',
  materialised: '0',
  missing: "'[]'",
  missing_count: '0',
  bytes: '1000',
};
const FILLED_SOURCE = {
  pack: "'pack-' || i",
  position: '0',
  package_id: "'p'",
  directory: "'d'",
  archive_key: "'archive-' || i",
  index_key: "'index-' || i",
  archive_sha256: "'h'",
  files: "'[]'",
  metadata: "'[]'",
};
const FILLED_JOB = {
  id: "'job-' || i",
  kind: "'ingest'",
  label: "'l'",
  payload: "'{}'",
  state: "CASE WHEN i % 100 = 0 THEN 'dead' ELSE 'succeeded' END",
  attempts: '1',
  max_attempts: '3',
  run: '1',
  object_key: "'incoming/' || i",
  created_at: 'i',
  position: '0',
  available_at: 'i',
  finished_at: '1900000000000 + i',
  cancelling: '0',
  result: "'null'",
};

/**
 * Values of every column of a package that must have one: what it is does not matter here, except that it is never the
 * same.
 */
function filledPackage(): Record<string, string> {
  const own = ['id', 'identity', 'name', 'asset_path', 'archive_key', 'index_key', 'upload_digest'];
  const words = [
    'kind',
    'pref_code',
    'pref',
    'city_code',
    'city',
    'provider',
    'spec',
    'revision',
    'root_prefix',
  ];
  const numbers = [
    'year',
    'registration_year',
    'archive_size',
    'member_count',
    'member_bytes',
    'features',
    'files',
  ];
  const more = ['errors', 'warnings', 'infos'];
  return {
    no: 'i',
    ...Object.fromEntries(own.map((column) => [column, `'${column}-' || i`])),
    ...Object.fromEntries(
      [...words, 'archive_sha256', 'upload_name', 'ingested_at'].map((column) => [column, "'w'"]),
    ),
    ...Object.fromEntries([...numbers, ...more].map((column) => [column, '1'])),
    ...Object.fromEntries(['area_names', 'part_names'].map((column) => [column, "'{}'"])),
    ...Object.fromEntries(['types', 'guessed', 'metadata_zips'].map((column) => [column, "'[]'"])),
    state: "CASE WHEN i % 50 = 0 THEN 'retired' ELSE 'live' END",
    left_at: 'CASE WHEN i % 50 = 0 THEN 1900000000000 ELSE NULL END',
  };
}
