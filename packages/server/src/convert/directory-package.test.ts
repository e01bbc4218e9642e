/** A package in a directory, whose files somebody edits between two conversions. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { convertZip } from './testing/convert-zip.ts';
import { gml, PACKAGE } from './testing/small-package.ts';

const LAND = 'udx/luse/52385500_luse_6697_op.gml';
const ROADS = 'udx/tran/52385501_tran_6697_op.gml';
const LIST = 'codelists/Common_landUseType.xml';
/** Beside the usual directory of code lists. */
const FAR_LIST = 'lists/landUseType.xml';
const IMAGE = 'udx/luse/52385500_luse_6697_appearance/a.jpg';

const root = mkdtempSync(join(tmpdir(), 'citymodel-directory-'));
after(() => rmSync(root, { recursive: true, force: true }));

const dictionary = (name: string) =>
  `<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry><gml:Definition><gml:description>` +
  `${name}</gml:description><gml:name>211</gml:name></gml:Definition></gml:dictionaryEntry></gml:Dictionary>`;

function write(path: string, text: string): void {
  const file = join(root, PACKAGE, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Writes another text of the same size with the time of the former file. */
function edit(path: string, change: (text: string) => string): void {
  const file = join(root, PACKAGE, path);
  const { size, atimeMs, mtimeMs } = statSync(file);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  utimesSync(file, atimeMs / 1_000, mtimeMs / 1_000);
  assert.deepEqual([statSync(file).size, statSync(file).mtimeMs], [size, mtimeMs]);
}

/** How many parts were made; and how many there are. */
async function convert(): Promise<[made: number, parts: number]> {
  const { parts, reused } = await convertZip(join(root, PACKAGE), root, {
    request: { types: ['luse', 'tran'], out: join(root, 'out'), partsDirectory: join(root, 'parts') },
  });
  return [parts - reused, parts];
}

test('a byte that changed is noticed, though size and time of the file are as before', async () => {
  write(LAND, gml('luse', '52385500', 3, 'a').replaceAll('codelists/Common_', 'lists/'));
  write(ROADS, gml('tran', '52385501', 3, 'a'));
  write(LIST, dictionary('a'));
  write(FAR_LIST, dictionary('a'));
  write(IMAGE, 'a');
  const all = await convert();
  assert.equal(all[0], all[1]);
  assert.deepEqual(await convert(), [0, all[1]]);
  const ofLand = 1;
  const ofRoads = all[1] - ofLand;
  for (const [path, parts] of [
    [LAND, ofLand],
    [ROADS, ofRoads],
    [LIST, ofLand + ofRoads],
    [FAR_LIST, ofLand],
    [IMAGE, ofLand],
  ] as const) {
    edit(path, (text) => text.replaceAll('>a<', '>b<').replace(/^a$/, 'b'));
    assert.deepEqual(await convert(), [parts, all[1]], path);
    assert.deepEqual(await convert(), [0, all[1]], path);
  }
});
