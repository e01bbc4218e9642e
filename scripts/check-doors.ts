/**
 * Lets programs that nobody here wrote read the doors of a server: a sample of many buildings (30,000 unless said
 * otherwise) through `/ogc`, `/stac` and tables. Says what is missing, and goes on. Needs a build (`npm run build`).
 *
 *     apt-get install gdal-bin python3-qgis r-cran-sf
 *     python3 -m venv doors && doors/bin/pip install owslib pystac-client stac-validator geopandas pyarrow
 *     doors/bin/pip install duckdb==1.5.5 duckdb-extensions duckdb-extension-httpfs==1.5.5   # test/tables-s3.test.ts
 *     npm install --prefix doors stac-node-validator
 *     DOORS_PYTHON=doors/bin/python STAC_NODE=doors/node_modules/.bin/stac-node-validator \
 *       node scripts/check-doors.ts [--buildings 30000]
 *
 * The OGC's own test suite (ets-ogcapi-features10) is not among them: Maven Central does not have it. Requirements by
 * their ids are in `test/ogc/requirements.ts`.
 *
 * Validators of STAC would ask the network for schemas. Those of the core come out of `pystac`; what the extensions say
 * of our fields is in `test/stac/extension-schemas.ts`. `STAC_SCHEMAS` may name a directory with the schemas of the
 * extensions themselves, each a file with its `$id`; they come first.
 * Ends with 1 when a program reads something else than the service has.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXTENSION_SCHEMAS } from '../test/stac/extension-schemas.ts';
import { removeDirectory, runProgram, tempDirectory } from '../test/support/program.ts';
import { startServer, type TestServer } from '../test/support/server.ts';

const { values: flags } = parseArgs({ options: { buildings: { type: 'string', default: '30000' } } });
const HELPERS = join(import.meta.dirname, '..', 'test', 'ogc');
const COLLECTION = 'bldg';
/** QGIS is a library of the system's own Python. */
const SYSTEM_PYTHON = '/usr/bin/python3';
const PYTHON = process.env.DOORS_PYTHON ?? 'python3';
const STAC_NODE = process.env.STAC_NODE ?? 'stac-node-validator';
const MINUTES = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

/** What a program prints, or why it could not begin. */
interface Run {
  status: number | null;
  out: string;
  missing: boolean;
}

const directory = await tempDirectory();
try {
  await main();
} finally {
  await removeDirectory(directory);
}

async function main(): Promise<void> {
  const [sample, data] = [join(directory, 'sample'), join(directory, 'data')];
  await succeeds(['sample', '--size', flags.buildings, sample], {});
  await succeeds(['ingest', sample], { DATA_DIR: data });
  await succeeds(['reindex'], { DATA_DIR: data, TABLES: 'published' });
  const out = join(directory, 'stac');
  await using server = await startServer(data, { reachable: true, env: { TABLES: 'published' } });
  await succeeds(['stac', '--out', out], { DATA_DIR: data, PUBLIC_URL: server.publicUrl });
  await tell('GDAL', () => readByGdal(server));
  await tell('QGIS', () => readByQgis(server));
  await tell('owslib', () => readByOwslib(server));
  await tell('geopandas', () => readByGeopandas(server));
  await tell('sf of R', () => readByR(server));
  await tell('pystac-client', () => readByPystac(server));
  const schemas = await schemasOfStac();
  await tell('stac-node-validator', () => validateByNode(out, schemas));
  await tell('stac-validator', () => validateByPython(out, schemas));
}

async function succeeds(args: string[], env: Record<string, string>): Promise<void> {
  const run = await runProgram(args, env);
  assert.equal(run.code, 0, run.stderr);
}

async function tell(name: string, check: () => Promise<string>): Promise<void> {
  const start = Date.now();
  try {
    console.log(`${name}: ${await check()} (${((Date.now() - start) / 1_000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`${name}: FAILED: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

async function readByGdal({ publicUrl }: TestServer): Promise<string> {
  const run = await runOf('ogrinfo', [
    '-ro',
    '-q',
    '-al',
    '-geom=NO',
    `OAPIF:${publicUrl}/ogc/collections/${COLLECTION}`,
  ]);
  if (run.missing) return 'skipped, ogrinfo is not installed';
  const count = run.out.match(/^OGRFeature/gm)?.length;
  assert.equal(count, await matched(publicUrl));
  return `${count} features`;
}

async function readByQgis({ publicUrl }: TestServer): Promise<string> {
  const script = join(HELPERS, 'read_oapif.py');
  const args = [script, `${publicUrl}/ogc`, COLLECTION, 'bldg:measuredHeight'];
  const run = await runOf(SYSTEM_PYTHON, args, {
    QT_QPA_PLATFORM: 'offscreen',
    HOME: directory,
    PYTHONPATH: '',
  });
  if (run.missing) return 'skipped, python3-qgis is not installed';
  assert.equal(run.status, 0, run.out.slice(-500));
  const read = JSON.parse(run.out.trim().split('\n').at(-1)!);
  const count = await matched(publicUrl);
  assert.deepEqual([read.count, read.ids, read.above], [count, count, read.expected]);
  assert.ok(read.inside > 0 && read.inside < count);
  return `${count} features, ${read.inside} in a box, ${read.above} above ${read.bound}`;
}

async function readByOwslib({ publicUrl }: TestServer): Promise<string> {
  const run = await runOf(PYTHON, [join(HELPERS, 'read_owslib.py'), `${publicUrl}/ogc`, COLLECTION]);
  if (run.missing) return `skipped, ${PYTHON} has no owslib`;
  assert.equal(run.status, 0, run.out.slice(-500));
  const read = JSON.parse(run.out);
  assert.ok(read.same && read.filtered === 1 && read.around >= 1 && read.collections.includes(COLLECTION));
  return `${read.collections.length} collections, ${read.classes} classes, ${read.queryables} queryables`;
}

/** Codes of the municipalities whose features `/ogc` answers. */
async function citiesOf(publicUrl: string): Promise<string[]> {
  const reply = await fetch(`${publicUrl}/ogc/collections`);
  const { collections } = (await reply.json()) as Any;
  return collections.flatMap(({ id }: Any) => {
    const code = /^(\d{5})-(\w+)$/.exec(id);
    return code?.[2] === COLLECTION ? [code[1]] : [];
  });
}

/** Reads the tables of all cities, whose newest editions have the features that `/ogc` answers. */
async function readByGeopandas({ publicUrl }: TestServer): Promise<string> {
  const cities = await citiesOf(publicUrl);
  const urls = cities.map((code) => `${publicUrl}/datacatalog/citygml/${code}-latest/${COLLECTION}.parquet`);
  const run = await runOf(PYTHON, ['-W', 'ignore', join(HELPERS, 'read_geopandas.py'), ...urls]);
  if (run.missing) return `skipped, ${PYTHON} has no geopandas`;
  assert.equal(run.status, 0, run.out.slice(-500));
  const read = JSON.parse(run.out.trim().split('\n').at(-1)!);
  const count = await matched(publicUrl);
  assert.deepEqual([read.count, read.crs, read.valid], [count, 'EPSG:6668', count]);
  assert.ok(read.tall > 0 && read.tall < count && read.boxed > 0 && read.boxed < count, run.out);
  return `${count} features of ${urls.length} tables, ${read.boxed} in a box, ${read.tall} above 10 m`;
}

/** Reads whole cities as files, which come out of their tables. Debian has no R that reads Parquet. */
async function readByR({ publicUrl }: TestServer): Promise<string> {
  let count = 0;
  for (const code of await citiesOf(publicUrl)) {
    const [places, listed] = await Promise.all(
      ['flatgeobuf', 'geojson'].map(async (format) => {
        const query = `sid=0/0/0/0&city_code=${code}&type=${COLLECTION}&format=${format}&flatten=true`;
        const reply = await fetch(`${publicUrl}/citygml/features?${query}`);
        assert.equal(reply.status, 200, await (reply.ok ? '' : reply.text()));
        const file = join(directory, `${code}.${format === 'geojson' ? 'geojson' : 'fgb'}`);
        await writeFile(file, Buffer.from(await reply.arrayBuffer()));
        return file;
      }),
    );
    const run = await runOf('Rscript', [join(HELPERS, 'read_sf.R'), places!, listed!]);
    if (run.missing || /there is no package called/.test(run.out))
      return 'skipped, r-cran-sf is not installed';
    assert.equal(run.status, 0, run.out.slice(-500));
    const read = JSON.parse(run.out.trim().split('\n').at(-1)!);
    assert.deepEqual(
      [read.listed, read.epsg, read.valid, read.same],
      [read.count, 6668, read.count, true],
      run.out,
    );
    assert.ok(read.tall > 0 && read.boxed > 0 && read.boxed < read.count, run.out);
    count += read.count;
  }
  assert.equal(count, await matched(publicUrl));
  return `${count} features as FlatGeobuf and GeoJSON`;
}

async function readByPystac({ publicUrl }: TestServer): Promise<string> {
  const program = [
    'import sys; from pystac_client import Client',
    'client = Client.open(sys.argv[1])',
    'items = list(client.search(limit=7).items())',
    'walked = {i.id for c in client.get_collections() for i in c.get_items()}',
    'assert walked == {i.id for i in items}; print(len(items))',
  ].join('\n');
  const run = await runOf(PYTHON, ['-c', program, `${publicUrl}/stac`]);
  if (run.missing) return `skipped, ${PYTHON} has no pystac-client`;
  assert.equal(run.status, 0, run.out.slice(-500));
  return `${run.out.trim()} items`;
}

/** Schemas by their ids, as files; null where the interpreter has no pystac. */
async function schemasOfStac(): Promise<Map<string, string> | null> {
  const program = 'import os, pystac.validation as v; print(os.path.dirname(v.__file__))';
  const { status, out } = await runOf(PYTHON, ['-W', 'ignore', '-c', program]);
  if (status !== 0) return null;
  const own = join(directory, 'schemas');
  await mkdir(own);
  for (const [n, schema] of Object.values(EXTENSION_SCHEMAS).entries()) {
    await writeFile(join(own, `extension-${n}.json`), JSON.stringify(schema));
  }
  const theirs = process.env.STAC_SCHEMAS ?? '';
  return new Map([
    ...schemasIn(join(out.trim(), 'jsonschemas')),
    ...schemasIn(own),
    ...(theirs === '' ? [] : schemasIn(theirs)),
  ]);
}

async function validateByNode(catalogue: string, schemas: Map<string, string> | null): Promise<string> {
  if (schemas === null) return `skipped, ${PYTHON} has no pystac, which has the schemas`;
  const maps = [...schemas].map(([id, file]) => `--schemaMap=${id}=${file}`);
  const files = globSync(join(catalogue, '**/*.json'));
  // Files first: version 2 takes what follows `--schemaMap` for more of it.
  const run = await runOf(STAC_NODE, [...files, ...maps]);
  if (run.missing) return `skipped, ${STAC_NODE} is not installed`;
  assert.equal(run.status, 0, run.out.slice(-1_500));
  // Of a directory it may read nothing, and be content. Version 2 calls them passed.
  assert.equal(
    Number(/^\s*(?:Valid|Passed):\s*(\d+)/m.exec(run.out)?.[1]),
    files.length,
    run.out.slice(-500),
  );
  return `${files.length} documents`;
}

/** Checks each document with stac-validator, which answers for one at a time. */
async function validateByPython(catalogue: string, schemas: Map<string, string> | null): Promise<string> {
  if (schemas === null) return `skipped, ${PYTHON} has no pystac, which has the schemas`;
  const program = [
    'import glob, json, sys; from stac_validator import stac_validator',
    'maps = json.loads(sys.argv[2])',
    'files = glob.glob(sys.argv[1] + "/**/*.json", recursive=True)',
    'assert files',
    'for file in files:',
    '    check = stac_validator.StacValidate(file, schema_map=maps)',
    '    assert check.run(), check.message',
    'print(len(files))',
  ].join('\n');
  const run = await runOf(PYTHON, [
    '-W',
    'ignore',
    '-c',
    program,
    catalogue,
    JSON.stringify(Object.fromEntries(schemas)),
  ]);
  if (run.missing) return `skipped, ${PYTHON} has no stac-validator`;
  assert.equal(run.status, 0, run.out.slice(-500));
  return `${run.out.trim().split('\n').at(-1)} documents`;
}

/** Schemas by their ids. In `pystac` one is called `commonjson`, which others call by the name of its file. */
function schemasIn(directory: string): Map<string, string> {
  return new Map(
    globSync(join(directory, '**/*.json')).map((file) => {
      const { $id } = JSON.parse(readFileSync(file, 'utf8')) as { $id: string };
      const id = $id.replace(/#$/, '');
      return [id.endsWith('.json') ? id : new URL(basename(file), id).href, file];
    }),
  );
}

async function matched(publicUrl: string): Promise<number> {
  const reply = await fetch(`${publicUrl}/ogc/collections/${COLLECTION}/items?limit=1`);
  return ((await reply.json()) as Any).numberMatched;
}

function runOf(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, timeout: 15 * MINUTES });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.once('error', () => resolve({ status: null, out: '', missing: true }));
    child.once('close', (status) => {
      const out = Buffer.concat(chunks).toString();
      resolve({ status, out, missing: /ModuleNotFoundError/.test(out) });
    });
  });
}
