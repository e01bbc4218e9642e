/**
 * Every name of the published tiles at hand is among those of ours, and every value, but for what docs/converting.md
 * lists.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { test } from 'node:test';
import { DATA } from '@citymodel/citygml/testing';
import { comparePublished, documentedDifferences, isAsPublished } from '@citymodel/tiles/testing';

test('published names and values are among ours', { skip: !existsSync(DATA) }, async () => {
  const known = documentedDifferences();
  const met = new Set<string>();
  const found: string[] = [];
  let compared = 0;
  for (const zip of globSync(`${DATA}conversion/*/*.zip`)) {
    // What upstream made of CityGML 3.0 is not what is published.
    if (zip.includes('/v3-')) continue;
    const { columns, missing } = await comparePublished(zip);
    assert.deepEqual(missing, [], zip);
    for (const column of columns) {
      compared += column.published;
      if (isAsPublished(column)) continue;
      if (known.has(column.name)) met.add(column.name);
      else found.push(JSON.stringify(column));
    }
  }
  assert.deepEqual(found.slice(0, 20), []);
  assert.ok(compared > 5_000, `${compared} values were compared`);
  assert.deepEqual(
    [...known].filter((name) => !met.has(name)),
    [],
    'differences that are no more',
  );
});
