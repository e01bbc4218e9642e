/** L-bldg-02 and bldg.part on buildings of boxes: which parts share a face, and which stand apart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { box, idOf, type Ring } from '../../testing/clean-package.ts';
import { cityModel, inspected, pathOf, solid } from '../../testing/typed-files.ts';

/** Boxes of 10 m on a grid, which share faces with their neighbours. */
const boxAt = (east: number, north = 0, up = 0): Ring[] =>
  box([10 * east, 10 * north, 5 + 10 * up], 10, 10, 10);

const lodSolid = (lod: number, faces: Ring[]) => `<bldg:lod${lod}Solid>${solid(faces)}</bldg:lod${lod}Solid>`;

/** A building of parts, each with what it has inside. */
const building = (parts: string[], own = '') =>
  `<bldg:Building gml:id="${idOf('bldg', 1)}">${own}${parts
    .map(
      (inside, n) =>
        '<bldg:consistsOfBuildingPart>' +
        `<bldg:BuildingPart gml:id="${idOf('part', n)}">${inside}</bldg:BuildingPart></bldg:consistsOfBuildingPart>`,
    )
    .join('')}</bldg:Building>`;

/** What a check finds: number of the part, LOD, and what the table of the official program has. */
async function found(code: string, feature: string) {
  const { checks } = await inspected({ [pathOf('bldg')]: cityModel([feature]) });
  return checks
    .find((check) => check.code === code)!
    .items.map(({ id, ref, lod, row }) => {
      assert.equal(ref, idOf('bldg', 1));
      return [Number(id!.slice(-1)), lod, row?.status, row?.connected_id, row?.connected_parts];
    });
}
const apart = (...parts: string[]) => found('L-bldg-02', building(parts));
const of2 = (faces: Ring[]) => lodSolid(2, faces);

test('parts are joined when each shares a face with another, so that all hang together', async () => {
  assert.deepEqual(await apart(of2(boxAt(0)), of2(boxAt(1))), []);
  assert.deepEqual(await apart(of2(boxAt(0)), of2(boxAt(1)), of2(boxAt(1, 1))), []);
  // The ones in the middle come last.
  assert.deepEqual(await apart(of2(boxAt(0)), of2(boxAt(3)), of2(boxAt(2)), of2(boxAt(1))), []);
  assert.deepEqual(await apart(), []);
});

test('a face is the same whatever corner it begins with', async () => {
  const turned = boxAt(1).map((ring): Ring => [...ring.slice(2), ring[1]!, ring[2]!]);
  assert.deepEqual(await apart(of2(boxAt(0)), of2(turned)), []);
});

test('parts that share no face are alone, those of one group among several partly joined', async () => {
  assert.deepEqual(await apart(of2(boxAt(0)), of2(boxAt(2))), [
    [0, 2, 'alone', 0, 1],
    [1, 2, 'alone', 1, 1],
  ]);
  assert.deepEqual(await apart(of2(boxAt(0))), [[0, 2, 'alone', 0, 1]]);
  // Boxes that meet at an edge.
  assert.equal((await apart(of2(boxAt(0)), of2(boxAt(1, 1)))).length, 2);
  // The larger group comes first.
  assert.deepEqual(await apart(of2(boxAt(9)), of2(boxAt(0)), of2(boxAt(1))), [
    [1, 2, 'partial', 0, 2],
    [2, 2, 'partial', 0, 2],
    [0, 2, 'alone', 1, 1],
  ]);
});

test('levels of detail are looked at one by one, from 2 on', async () => {
  const both = (east: number, east3: number) => of2(boxAt(east)) + lodSolid(3, boxAt(east3));
  assert.deepEqual(await apart(both(0, 0), both(1, 2)), [
    [0, 3, 'alone', 0, 1],
    [1, 3, 'alone', 1, 1],
  ]);
  const of4 = (east: number) => lodSolid(4, boxAt(east));
  assert.deepEqual(
    (await apart(of4(0), of4(2))).map(([, lod]) => lod),
    [4, 4],
  );
  const of1 = (east: number) => lodSolid(1, boxAt(east));
  assert.deepEqual(await apart(of1(0), of1(2)), []);
  // A part without geometry of a level is none of it.
  assert.deepEqual(await apart(of2(boxAt(0)), of2(boxAt(1)), ''), []);
});

test('geometry of the building itself joins no parts, and is none', async () => {
  const between = of2(boxAt(1));
  assert.deepEqual(await found('L-bldg-02', building([of2(boxAt(0)), of2(boxAt(2))], between)), [
    [0, 2, 'alone', 0, 1],
    [1, 2, 'alone', 1, 1],
  ]);
  assert.deepEqual(await found('L-bldg-02', building([of2(boxAt(0)), of2(boxAt(1))], of2(boxAt(5)))), []);
});

test('geometry of a part at LOD 0 or 1 is one finding for each level, that of the building none', async () => {
  const part = lodSolid(1, boxAt(0)) + of2(boxAt(0));
  assert.deepEqual(
    (
      await found('bldg.part', building([part, of2(boxAt(1)), lodSolid(1, boxAt(2))], lodSolid(1, boxAt(0))))
    ).map(([n, lod]) => [n, lod]),
    [
      [0, 1],
      [2, 1],
    ],
  );
});
