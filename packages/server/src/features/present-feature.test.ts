import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodeLists, type FeatureEntry, FeatureIndex, GmlScanner } from '@citymodel/citygml';
import { block, cityModel } from '@citymodel/citygml/testing';
import { AttributeFilter } from './attribute-filter.ts';
import type { Presentation } from './feature-query.ts';
import { FeatureWorkshop } from './feature-work.ts';
import type { FeatureParts } from './formats/format.ts';
import { GEOJSON_FORMAT } from './formats/geojson-format.ts';
import { JSON_FORMAT } from './formats/json-format.ts';
import { GmlIndex } from './gml-index.ts';
import type { OpenGml } from './open-gml.ts';
import { FeaturePresenter } from './present-feature.ts';

const BUILDING = Buffer.from(
  `<bldg:Building gml:id="b"><bldg:usage codeSpace="../../codelists/u.xml">1</bldg:usage><bldg:lod1Solid>` +
    `${block(35, 139, 0.001, 0, 9)}</bldg:lod1Solid></bldg:Building>`,
);

function indexOf(): GmlIndex {
  const scanner = new GmlScanner({ member: 'udx/x.gml', onIssue: () => {} });
  scanner.push(Buffer.from(cityModel('')));
  return new GmlIndex(FeatureIndex.open(scanner.end().featureIndex), 0);
}

const limits = { maxGeometryBytes: 1e6, maxItems: 1e6, maxReadBytes: 1e6 };
const work = new FeatureWorkshop(limits).begin(new AbortController().signal, 'Ask for less.');

interface Given {
  presentation?: Partial<Presentation>;
  /** Bytes that the entry says the feature has. */
  length?: number;
  /** Its text is read by the presenter. */
  isLarge?: boolean;
  /** The record is made in steps. */
  inSteps?: boolean;
  /** What a hash says of its id. */
  assumedId?: string;
  /** What the index says of it where only its place is known. */
  whole?: { entry: Partial<FeatureEntry>; isRead: boolean };
}

/** Presents the building, and notes what the writer is given. */
async function present({
  presentation = {},
  length = 100,
  isLarge = false,
  inSteps = false,
  assumedId,
  whole: found,
}: Given = {}) {
  const pieces: FeatureParts[] = [];
  const read: string[] = [];
  function* steps() {
    yield;
    return 'made in steps';
  }
  const writer = {
    *record(parts: FeatureParts) {
      pieces.push(parts);
      return inSteps ? yield* steps() : 'made';
    },
  };
  const gml = {
    path: 'udx/x.gml',
    index: indexOf(),
    codeLists: new CodeLists(async () => new Map([['1', 'residence']])),
    text: {
      async read() {
        read.push('whole');
        return BUILDING;
      },
      async *stream() {
        read.push('pieces');
        yield BUILDING.subarray(0, 50);
        yield BUILDING.subarray(50);
      },
    },
  } as unknown as OpenGml;
  const entry = { index: 7, id: 'b', start: 1_000, end: 1_000 + length, extent: null } as FeatureEntry;
  if (assumedId !== undefined) Object.assign(entry, { id: assumedId, idIsAssumed: true });
  if (found !== undefined) {
    Object.assign(entry, { isPlaceOnly: true });
    gml.index.whole = (place, text) => {
      assert.deepEqual([place, text], [entry, isLarge ? null : BUILDING]);
      const { isPlaceOnly: _, ...rest } = place;
      const read = { ...rest, ...found.entry } as FeatureEntry;
      return found.isRead ? Promise.resolve(read) : read;
    };
  }
  const whole = {
    ...{ format: JSON_FORMAT, rawCodes: false, fields: null, flatten: false },
    ...{ where: null, hasVersion2Names: false },
  };
  const presenter = new FeaturePresenter({ ...whole, ...presentation }, writer);
  const answer = presenter.present(gml, entry, isLarge ? null : BUILDING, work);
  const usage = pieces[0]?.labels?.('../../codelists/u.xml', '1');
  const record = await answer;
  return {
    record,
    isPromise: answer instanceof Promise,
    parts: pieces[0],
    label: usage ?? pieces[0]?.labels?.('../../codelists/u.xml', '1'),
    read,
    lacksGeometry: presenter.lacksGeometry(entry, work),
  };
}

for (const isLarge of [false, true]) {
  const size = isLarge ? 'large' : 'usual';
  test(`a ${size} feature has its labels unless codes are wanted as they are`, async () => {
    const labelled = await present({ isLarge });
    assert.equal(labelled.record, 'made');
    assert.equal(labelled.label, 'residence');
    assert.equal(labelled.parts!.fallbackId, 'udx/x.gml#7');
    assert.equal(labelled.parts!.hasVersion2Names, false);
    const raw = await present({ isLarge, presentation: { rawCodes: true, hasVersion2Names: true } });
    assert.deepEqual([raw.parts!.labels, raw.parts!.hasVersion2Names], [null, true]);
  });

  test(`a ${size} feature has its geometry where the format needs it and it is not too large`, async () => {
    const count = async (presentation: Partial<Presentation>, length: number) => {
      const { parts, read, lacksGeometry } = await present({ isLarge, presentation, length });
      return [parts!.geometries.length, read, lacksGeometry];
    };
    const [pieces, whole] = isLarge ? [['pieces'], ['whole']] : [[], []];
    assert.deepEqual(await count({}, 1e6), [0, pieces, false]);
    assert.deepEqual(await count({ format: GEOJSON_FORMAT }, 1e6), [1, whole, false]);
    assert.deepEqual(await count({ format: GEOJSON_FORMAT }, 1e6 + 1), [0, pieces, true]);
    assert.deepEqual(await count({}, 1e6 + 1), [0, pieces, false]);
  });

  test(`a ${size} feature that does not meet the conditions has no record`, async () => {
    const where = (text: string) => ({ isLarge, presentation: { where: new AttributeFilter(text) } });
    assert.equal((await present(where('bldg:usage=residence'))).record, 'made');
    const unwanted = await present(where('bldg:usage=1'));
    assert.deepEqual([unwanted.record, unwanted.parts], [null, undefined]);
    // Without labels a value is its code.
    const raw = { rawCodes: true, where: new AttributeFilter('bldg:usage=1') };
    assert.equal((await present({ isLarge, presentation: raw })).record, 'made');
  });
}

test('a promise is made only where something is read, or a record is made in slices', async () => {
  const raw = { presentation: { rawCodes: true }, inSteps: true };
  const short = await present({ ...raw, length: 64 * 1024 - 1 });
  assert.deepEqual([short.record, short.isPromise], ['made in steps', false]);
  const long = await present({ ...raw, length: 64 * 1024 });
  assert.deepEqual([long.record, long.isPromise], ['made in steps', true]);
  assert.equal((await present()).isPromise, true, 'a list is loaded');
});

test('a feature that was found by the hash of an id is answered when it has that id', async () => {
  for (const isLarge of [false, true]) {
    const same = await present({ assumedId: 'b', isLarge });
    assert.deepEqual([same.record, same.parts?.entry.id], ['made', 'b']);
    const other = await present({ assumedId: 'c', isLarge });
    assert.deepEqual([other.record, other.parts], [null, undefined]);
  }
});

test('a feature of which only the place is known is answered as the index or its text says', async () => {
  const extent = { west: 139, south: 35, east: 139.1, north: 35.1, minAlt: 0, maxAlt: 9 };
  for (const isLarge of [false, true]) {
    for (const isRead of [false, true]) {
      const { record, parts } = await present({ isLarge, whole: { entry: { extent, lods: 2 }, isRead } });
      assert.deepEqual([record, parts!.entry.extent, parts!.entry.lods], ['made', extent, 2]);
      const other = { id: 'c', idIsAssumed: true };
      const unlike = await present({ isLarge, whole: { entry: other, isRead } });
      assert.deepEqual([unlike.record, unlike.parts], [null, undefined]);
    }
  }
});
