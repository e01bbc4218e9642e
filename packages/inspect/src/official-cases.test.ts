import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { bufferSource } from '@citymodel/zip';
import { CHECKS } from './checks/index.ts';
import { readObjectList } from './objects/object-list.ts';
import { reportOf } from './report/report.ts';
import { inspectFile, joinFiles } from './run/inspect-package.ts';
import { openPackage } from './run/open-package.ts';
import { directorySource } from './testing/directory-source.ts';
import { differences, NO_CASES, type OfficialCase, officialCases } from './testing/official-cases.ts';

const CODES = new Set(CHECKS.map(({ code }) => code));
const HOOKS = { signal: new AbortController().signal, onText: () => {} };

let directory: string | null = null;
let cases: OfficialCase[] = [];

before(async () => {
  if (NO_CASES === false) ({ directory, cases } = await officialCases());
});
after(() => {
  if (directory !== null) rmSync(directory, { recursive: true, force: true });
});

test('every official case has the official numbers, ids and verdict', { skip: NO_CASES }, async () => {
  const wrong: string[] = [];
  for (const official of cases) {
    const source = await directorySource(official.directory);
    const context = await openPackage(source, {
      spec: official.spec,
      objects: await readObjectList(bufferSource(readFileSync(official.objectsPath))),
      ...(official.prcs === null ? {} : { plane: Number(String(official.prcs).replace(/^EPSG:/i, '')) }),
    });
    const files = [];
    for (const file of source.files) files.push(await inspectFile(file, source, CHECKS, context, HOOKS));
    const ofPackage = await joinFiles(files, source, CHECKS, context, HOOKS);
    for (const difference of differences(official, files, ofPackage, CODES))
      wrong.push(`${official.case}: ${difference}`);
    const { name } = source;
    const { ok, checks } = reportOf({ name, context, objectsName: '', files, ofPackage, outside: [] });
    // Where the official program leaves a case out, nobody has seen its verdict.
    if (official.ok !== null && !official.skippedUpstream && ok !== official.ok) {
      const found = checks.filter(({ severity, errors }) => severity === 'error' && errors > 0);
      const codes = found.map(({ code, errors }) => `${code} ${errors}`).join(', ');
      wrong.push(`${official.case}: ok is ${ok} (${codes}), expected ${official.ok}`);
    }
  }
  assert.deepEqual(wrong, []);
});
