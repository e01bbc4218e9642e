import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('for each platform that the program brings Node.js for, it is a dependency and in the lock file', () => {
  const root = new URL('../../../../', import.meta.url);
  const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
  const { optionalDependencies: wanted } = JSON.parse(read('packages/server/package.json'));
  const { packages } = JSON.parse(read('package-lock.json'));
  const brought = [
    ...read('packages/server/bin/citymodel.js').matchAll(/'(\w+)-(\w+)': '([\w-]+)\/(bin\/node(?:\.exe)?)'/g),
  ];
  const names = Object.keys(wanted).filter((name) => name.startsWith('node-'));
  assert.deepEqual(brought.map(([, , , name]) => name!).sort(), names.sort());
  for (const [, os, cpu, name, program] of brought) {
    const locked = packages[`node_modules/${name}`];
    assert.match(wanted[name!], /^24\./);
    assert.equal(locked.version, wanted[name!]);
    // These fields are lists or single names.
    assert.deepEqual([locked.os].flat(), [os]);
    assert.deepEqual([locked.cpu].flat(), [cpu]);
    assert.equal(locked.bin.node, program);
    assert.match(locked.integrity, /^sha512-/);
  }
});
