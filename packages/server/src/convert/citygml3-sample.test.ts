/** The sample city in CityGML 3.0 beside the same city in 2.0: what is made of both is the same. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { compareTexts } from '@citymodel/base';
import { version2Names } from '@citymodel/citygml';
import { unzip } from '@citymodel/citygml/testing';
import { writeSample } from '@citymodel/sample';
import type { ConvertReport } from './convert.ts';
import { attributesIn } from './testing/attributes-in.ts';
import { convertZip } from './testing/convert-zip.ts';

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const root = mkdtempSync(join(tmpdir(), 'citymodel-twins-'));
after(() => rmSync(root, { recursive: true, force: true }));

const VERSIONS = [2, 3] as const;
const pathOf = (version: number) => join(root, `${version}`, `${CITY}.zip`);
const reports: ConvertReport[] = [];

before(async () => {
  for (const citygml of VERSIONS) {
    mkdirSync(join(root, `${citygml}`));
    await writeSample(join(root, `${citygml}`), { size: 60, citygml });
    const types = ['bldg', 'tran', 'luse', 'fld', 'dem'];
    const options = { slim: true, compression: 'none' } as const;
    const work = { options, request: { types } };
    reports.push(await convertZip(pathOf(citygml), join(root, `made-${citygml}`), work));
  }
});

test('the same packages are made, and nothing is left out of either', () => {
  const [two, three] = reports.map(({ packages }) =>
    packages.map(({ name, features }) => [name.slice(CITY.length + 1), features]),
  );
  assert.deepEqual(three, two);
  assert.ok(two!.length > 8, `${two!.length} packages`);
  for (const { issues, account } of reports) {
    // The city lies in the sea, where the geoid of Japan ends.
    assert.deepEqual([...new Set(issues.map(({ code }) => code))], ['GEOID_OUTSIDE']);
    assert.equal(account!.complete, true);
  }
});

test('tiles without the names of the data are the same to the byte, with triangles, images and rows', async () => {
  const kinds = new Map<string, number>();
  for (const { name, path } of reports[0]!.packages) {
    const twin = reports[1]!.packages.find((one) => one.name === name)!;
    const [two, three] = await Promise.all([path!, twin.path!].map((zip) => unzip(zip, /./)));
    assert.deepEqual([...three!.keys()].sort(), [...two!.keys()].sort(), name);
    for (const [file, bytes] of two!) {
      assert.ok(three!.get(file)!.equals(bytes), `${name}/${file}`);
      const kind = extname(file);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  for (const kind of ['.glb', '.mvt']) assert.ok((kinds.get(kind) ?? 0) > 8, `${kind}: ${kinds.get(kind)}`);
});

test('attributes=v2 answers the same about both', async () => {
  const [two, three] = await Promise.all(
    VERSIONS.map(async (version) =>
      attributesIn((await unzip(pathOf(version), /udx\/(bldg|luse)\/.*\.gml$/)).values()),
    ),
  );
  assert.ok(two!.size > 40, `${two!.size} features`);
  assert.deepEqual([...three!.keys()], [...two!.keys()]);
  for (const [id, attributes] of two!) {
    const own = version2Names(three!.get(id)!);
    // Both hold more than what was made of them.
    for (const name of ['con:height', 'con:dateOfConstruction']) delete own[name];
    assert.deepEqual(sorted(own), sorted(attributes), id);
  }
});

test('the files follow the schemas of CityGML 3.0 and i-UR 4.0', () => {
  const main = join(import.meta.dirname, '../cli/main.ts');
  const checks = ['--checks', 'L02,L02.order'];
  const run = spawnSync(process.execPath, [main, 'inspect', pathOf(3), ...checks], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /product specification 6/);
});

function sorted(row: Readonly<Record<string, unknown>>): Array<[string, unknown]> {
  return Object.entries(row).sort(([a], [b]) => compareTexts(a, b));
}
