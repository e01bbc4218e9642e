/** The sample city in versions of CityGML and i-UR that do not exist yet: they are read by pattern. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { version2Names } from '@citymodel/citygml';
import { unzip } from '@citymodel/citygml/testing';
import { writeSample } from '@citymodel/sample';
import { type Ingesting, openIngesting, writeFiles } from '../ingest/testing/ingesting.ts';
import { attributesIn } from './testing/attributes-in.ts';
import { convertZip } from './testing/convert-zip.ts';

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const VERSIONS = ['known', 'later'] as const;

let at: Ingesting;
const pathOf = (version: string) => join(at.directory, version, CITY);

before(async () => {
  at = await openIngesting();
  await writeSample(join(at.directory, 'sample'), { size: 30, citygml: 3 });
  const members = await unzip(join(at.directory, 'sample', `${CITY}.zip`), /./);
  for (const version of VERSIONS) {
    await writeFiles(
      pathOf(version),
      Object.fromEntries(
        [...members].map(([path, bytes]) => [
          path,
          version === 'later' && path.endsWith('.gml') ? laterNames(bytes.toString()) : bytes,
        ]),
      ),
    );
  }
});
after(() => at[Symbol.asyncDispose]());

/** CityGML 3.1, i-UR 5.0 at another host, GML 3.3. */
function laterNames(text: string): string {
  const later = text
    .replace(/(xmlns:\w+="http:\/\/www\.opengis\.net\/citygml\/(?:\w+\/)?)3\.0"/g, '$13.1"')
    .replace(
      /https:\/\/www\.geospatial\.jp\/iur\/(ur[oc])\/4\.0/g,
      'https://www.mlit.go.jp/plateau/iur/$1/5.0',
    )
    .replace('http://www.opengis.net/gml/3.2"', 'http://www.opengis.net/gml/3.3"');
  assert.doesNotMatch(later, /citygml\/[\w/]*3\.0"|iur\/ur[oc]\/4\.0|gml\/3\.2"/);
  return later;
}

test('the same packages of tiles are made of them, and nothing is left out', async () => {
  const [known, later] = await Promise.all(
    VERSIONS.map(async (version) => {
      const { packages, issues, account } = await convertZip(
        pathOf(version),
        join(at.directory, `made-${version}`),
        { options: { compression: 'none' }, request: { types: ['bldg', 'tran', 'luse'] } },
      );
      assert.equal(account!.complete, true);
      return {
        packages: await Promise.all(
          packages.map(async ({ name, features, path }) => ({ name, features, hash: await hashOf(path!) })),
        ),
        issues: issues.map(({ code, count }) => ({ code, count })),
      };
    }),
  );
  assert.ok(known!.packages.length > 5);
  assert.deepEqual(later, known);
});

test('attributes are the same, under the same names', async () => {
  const [known, later] = await Promise.all(VERSIONS.map((version) => bothNames(pathOf(version))));
  assert.ok(known!.length > 20, `${known!.length} features`);
  assert.deepEqual(later, known);
});

test('they are ingested and inspected as CityGML 3.0 is', async () => {
  const [report] = await at.ingest(pathOf('later'));
  assert.equal(report!.outcome, 'published', JSON.stringify(report!.issues));
  assert.deepEqual(
    report!.issues.filter(({ severity }) => severity !== 'info'),
    [],
  );
  const main = join(import.meta.dirname, '../cli/main.ts');
  const [known, later] = VERSIONS.map((version) => {
    const args = [main, 'inspect', pathOf(version), '--json'];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { ...JSON.parse(stdout), status };
  });
  const counts = ({ status, spec, checks }: Inspected) => ({
    ...{ status, spec },
    checks: checks.filter(({ code }) => !code.startsWith('L02')).map(({ code, errors }) => [code, errors]),
  });
  assert.equal(later.spec, 6);
  assert.deepEqual(counts(later), counts(known));
  // There are no schemas of these versions to compare them with, which is said.
  const files = later.skipped.filter(({ reason }: { reason: string }) => /No schemas are known/.test(reason));
  assert.ok(files.length > 5);
});

interface Inspected {
  status: number;
  spec: number;
  checks: Array<{ code: string; errors: number }>;
}

/** Attributes of all features, as in the file and under the names of 2.0. */
async function bothNames(directory: string): Promise<unknown[]> {
  const paths = globSync('udx/*/*.gml', { cwd: directory }).sort();
  const files = await Promise.all(paths.map((path) => readFile(join(directory, path))));
  return [...(await attributesIn(files))].map(([id, attributes]) => [
    id,
    attributes,
    version2Names(attributes),
  ]);
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
