import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PartContext } from '../part-maker.ts';
import { bodyOfPolygons } from '../read/bodies.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { gmlSource, partContext } from '../read/testing/gml-source.ts';
import type { LodItem } from './lod-item.ts';
import { PartPictures } from './part-pictures.ts';
import type { Pictures } from './texture-look.ts';
import { TEXTURED_ERRORS } from './tree/plan-tree.ts';

const PATH = 'udx/bldg/53394525_bldg_6697_op.gml';

function partOf(read: object) {
  const context = partContext('');
  const issues = new IssueCounter(PATH, context.issue);
  const gml = gmlSource(PATH, new Map([[PATH, Buffer.from('')]]));
  const pictures = new PartPictures(gml, context as PartContext, read as unknown as GmlRecords, issues);
  return {
    ...{ pictures, account: context.account },
    issues() {
      issues.tell();
      return context.issues.map(({ code, id, count }) => `${code} ${id} ${count}`).sort();
    },
  };
}

test('each image that appearances name is drawn, or has its reason', async () => {
  const read = (unread: number) => ({ appearances: { images: ['1.png', '2.png', '3.png'], unread } });
  const images = {
    isDrawn: (image: number) => image === 0,
    failureOf: (image: number) => (image === 1 ? 'IMAGE_MISSING' : undefined),
  };
  const settled = partOf(read(0));
  settled.pictures.settle({ images, laid: null } as unknown as Pictures);
  assert.deepEqual(settled.account.images, {
    ...{ in: 3, out: 1 },
    rest: { IMAGE_MISSING: 1, IMAGE_UNUSED: 1 },
  });
  assert.deepEqual(settled.issues(), ['IMAGE_UNUSED null 1']);
  const unread = partOf(read(4));
  unread.pictures.settle(null);
  assert.deepEqual(unread.account.images, { in: 3, out: 0, rest: { APPEARANCE_UNREAD: 3 } });
  assert.deepEqual(unread.issues(), ['APPEARANCE_UNREAD null 4']);
  // Without an image that a surface has there is nothing to open.
  const none = partOf({ appearances: { images: [], unread: 0, hasImages: false }, srsName: null });
  assert.equal(await none.pictures.open(), null);
  assert.deepEqual(none.issues(), []);
});

test('textures that do not fit count once at a level, and only an image that can be read makes some', async () => {
  const body = bodyOfPolygons(
    Float64Array.of(139, 35, 0, 139.001, 35, 0, 139.001, 35.001, 0),
    Uint32Array.of(3),
    Uint32Array.of(1),
    false,
  );
  body.ringKeys.set([7]);
  body.ringWritten.set([3]);
  let uvs = [0, 0];
  const appearances = {
    textureOf: () => ({ image: 0, uvs: Float32Array.from(uvs) }),
    ...{ laidOn: () => null, images: ['1.png'], unread: 0 },
  };
  const { pictures, issues } = partOf({ appearances, records: { body: () => body } });
  let isReadable = false;
  const images = {
    facts: async () => ({ width: 64, height: 64, hasAlpha: false }),
    pixels: async () => (isReadable ? {} : null),
  };
  const open = { images, laid: null } as unknown as Pictures;
  const facts = { id: 'a', record: 0 };
  const itemAt = (lod: number) => ({ facts, lod, pixels: -1, pixelsAt: [] }) as unknown as LodItem;
  assert.equal(await pictures.addPixels([itemAt(2)], null), false);
  for (const lod of [2, 2, 3]) assert.equal(await pictures.addPixels([itemAt(lod)], open), false);
  uvs = [0, 0, 1, 0, 1, 1];
  const [unreadable, readable] = [itemAt(2), itemAt(2)];
  assert.equal(await pictures.addPixels([unreadable], open), false);
  isReadable = true;
  assert.equal(await pictures.addPixels([readable, itemAt(3)], open), true);
  // Pixels of all of the image and of its edges, and fewer of them for each error that is larger.
  for (const { pixels, pixelsAt } of [unreadable, readable]) {
    assert.equal(pixelsAt.length, TEXTURED_ERRORS.length);
    assert.ok(pixels >= 64 * 64 && pixelsAt[0]! >= pixelsAt.at(-1)! && pixelsAt.at(-1)! > 0);
  }
  assert.deepEqual(issues(), ['TEXTURE_MISFITS a 2']);
});
