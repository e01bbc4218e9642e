import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addStac } from './stac.ts';
import { houseStore } from './testing/house-store.ts';
import { writeHouses } from './testing/houses.ts';

test('the STAC catalogue is written as whole files, which name the address of the service', async (t) => {
  const store = await houseStore(t, { PUBLIC_URL: 'https://city.example.jp' });
  await store.publish(await writeHouses(store.directory));
  const out = join(store.directory, 'deep/stac');
  const run = await store.run(addStac, 'stac', '--out', out);
  assert.deepEqual(run, {
    code: 0,
    out: `1 collections with 1 items: ${join(out, 'catalog.json')}\n`,
    err: '',
  });
  const again = await store.run(addStac, 'stac', '--out', out);
  assert.equal(again.code, 0);
  const files = (await readdir(out, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  assert.equal(files.length, 3);
  for (const { parentPath, name } of files) {
    const text = await readFile(join(parentPath, name), 'utf8');
    assert.match(name, /\.json$/);
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  }
  assert.match(await readFile(join(out, 'catalog.json'), 'utf8'), /"type": "Catalog"/);
  assert.equal((await store.run(addStac, 'stac')).code, 1, 'it has to say where');
});
