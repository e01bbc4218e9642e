import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FileVisitor, Member } from '../check.ts';
import { readFile } from './read-file.ts';

const ROOT =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
  'xmlns:dem="http://www.opengis.net/citygml/relief/2.0">';
const BEFORE =
  '<core:cityObjectMember><dem:ReliefFeature gml:id="dem_1"><gml:name>relief</gml:name><dem:tin>';
const AFTER = '</dem:tin><dem:lod>1</dem:lod></dem:ReliefFeature></core:cityObjectMember>';
const TRIANGLE =
  `<gml:Triangle><gml:exterior><gml:posList>${'35.123456789 139.123456789 1.5 '.repeat(4)}` +
  '</gml:posList></gml:exterior></gml:Triangle>';
setFlagsFromString('--expose-gc');
/** Collects garbage, so that what is left is kept by something. */
const collect = runInNewContext('gc') as () => void;

/** Text between two triangles, longer than what strings copy. */
const BETWEEN = '\n\t\t\t\t\t\t\t<!-- between -->';
const PER_CHUNK = 2000;

async function* relief(chunks: number): AsyncGenerator<Buffer> {
  yield Buffer.from(ROOT + BEFORE);
  const chunk = Buffer.from(`${BETWEEN}${TRIANGLE}`.repeat(PER_CHUNK));
  for (let i = 0; i < chunks; i++) yield chunk;
  yield Buffer.from(`${AFTER}</core:CityModel>`);
}

test('a feature that is too large for a tree: its polygons one by one, then the rest, in little memory', async () => {
  const chunks = Math.ceil((80 << 20) / ((TRIANGLE.length + BETWEEN.length) * PER_CHUNK));
  let triangles = 0;
  let kept = 0;
  const shown: Member[] = [];
  const memory = () => {
    // Memory of buffers is counted out with the next collection.
    for (let i = 0; i < 2; i++) collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = memory();
  const visitor: FileVisitor<undefined> = {
    element({ name }) {
      if (name === 'gml:Triangle') triangles++;
    },
    member(member) {
      kept = memory() - before;
      shown.push(member);
    },
  };
  const fault = await readFile(relief(chunks), [visitor], {
    signal: new AbortController().signal,
    onText() {},
    onEnvelope() {},
    skipped: (reason) => assert.fail(reason),
  });
  assert.equal(fault, null);
  assert.equal(triangles, chunks * PER_CHUNK);
  const [{ feature, isLarge }] = shown as [Member];
  assert.deepEqual([shown.length, isLarge, feature.name], [1, true, 'dem:ReliefFeature']);
  assert.deepEqual(
    feature.children.map(({ name, text, children }) => [name, text.trim(), children.length]),
    [
      ['gml:name', 'relief', 0],
      ['dem:tin', '', 0],
      ['dem:lod', '1', 0],
    ],
  );
  assert.ok(kept < 40e6, `${(kept / 1e6).toFixed(0)} MB are kept`);
});
