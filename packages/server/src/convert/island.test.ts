/** The island as operators would see it: inspection finds nothing, and the converter accounts for everything. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { writeIsland } from '@citymodel/sample';
import { convertZip } from './testing/convert-zip.ts';

const PROGRAM = join(import.meta.dirname, '../cli/main.ts');
const root = mkdtempSync(join(tmpdir(), 'citymodel-island-'));
after(() => rmSync(root, { recursive: true, force: true }));

let packages: string[];
before(async () => {
  packages = (await writeIsland(root)).map(({ name }) => join(root, name));
});

test('neither edition has a finding, of schemas or any other check', async () => {
  for (const path of packages) {
    const args = [PROGRAM, 'inspect', path, '--json', '--jobs', '1'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 27 });
    const { checks, skipped } = JSON.parse(stdout) as {
      checks: Array<{ code: string; items: unknown[] }>;
      skipped: Array<{ reason: string }>;
    };
    assert.ok(checks.some(({ code }) => code.startsWith('L02')));
    assert.deepEqual(
      checks.flatMap((check) => check.items.map((item) => [check.code, item])),
      [],
    );
    assert.deepEqual(
      skipped.filter(({ reason }) => !reason.startsWith('No object list')),
      [],
    );
  }
});

test('everything becomes tiles, and the account is complete', async () => {
  // The older edition has buildings of the same makers alone.
  const converted = await convertZip(packages[0]!, join(root, 'newest'), {
    options: { compression: 'none', slim: true },
  });
  assert.equal(converted.account!.complete, true);
  // The island lies in the sea, where the geoid of Japan ends.
  const codes = [...new Set(converted.issues.map(({ code }) => code))].sort();
  assert.deepEqual(codes, ['GEOID_OUTSIDE']);
  const types = [...new Set(converted.packages.map(({ name }) => /_op_([a-z]+)_/.exec(name)![1]!))].sort();
  assert.deepEqual(types, [
    'bldg',
    'brid',
    'dem',
    'fld',
    'frn',
    'luse',
    'squr',
    'tran',
    'ubld',
    'veg',
    'wtr',
  ]);
});
