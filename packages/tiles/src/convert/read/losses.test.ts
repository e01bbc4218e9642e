import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LodGeometry, XmlElement } from '@citymodel/citygml';
import { Fate, featuresOf, LOST, PartAccountBuilder } from '../account/part-account.ts';
import type { ConvertIssue } from '../part-maker.ts';
import { IssueCounter } from './issue-counter.ts';
import { type Gaps, Losses } from './losses.ts';

const element = (name: string, children: XmlElement[] = []): XmlElement => ({
  ...{ name, attributes: {}, children, text: '' },
});

function losses(tiled: readonly number[]) {
  const account = new PartAccountBuilder();
  const issues: ConvertIssue[] = [];
  const counter = new IssueCounter('a.gml', (issue) => issues.push(issue));
  return {
    account,
    losses: new Losses(account, counter, tiled),
    issues() {
      counter.tell();
      return issues.map(({ code, id, count }) => `${code} ${id} ${count}`);
    },
  };
}

const NONE: Gaps = {
  ...{ isUnplaced: false, isFlat: false, isBroken: false, implausible: undefined },
  ...{ isOtherRelief: false, refers: false },
};

test('the first reason is named at all levels of tiles where a feature has something that nobody draws', () => {
  for (const [gaps, code] of [
    [{}, null],
    [{ refers: true }, 'REFERENCE_UNRESOLVED'],
    [{ refers: true, isOtherRelief: true }, 'RELIEF_UNCONVERTED'],
    [{ refers: true, isOtherRelief: true, implausible: 'GEOMETRY_FAR_OFF' }, 'GEOMETRY_FAR_OFF'],
    [{ refers: true, implausible: 'GEOMETRY_FAR_OFF', isBroken: true }, 'POLYGON_BROKEN'],
    [{ isBroken: true, isFlat: true }, 'FLAT_DATA'],
    [{ isBroken: true, isFlat: true, isUnplaced: true }, 'CRS_UNKNOWN'],
  ] as Array<[Partial<Gaps>, string | null]>) {
    const { account, losses: own } = losses([1, 2, 3]);
    account.feature(0, 'bldg:Building');
    for (const level of [1, 2, 4]) account.fate(0, level, Fate.there);
    account.fate(0, 2, Fate.claimed);
    own.noteGaps(0, { ...NONE, ...gaps });
    const part = account.finish();
    const { fates } = featuresOf(part).next().value as { fates: Uint8Array };
    const named = [...fates].map((fate) => (fate >= LOST ? part.codes[fate - LOST] : fate));
    assert.deepEqual(named, [0, code ?? Fate.there, Fate.claimed, 0, Fate.there, 0], String(code));
  }
});

test('surfaces that were left out count once at each level of tiles that has them', () => {
  const { account, losses: own } = losses([1, 2]);
  const [far, high, fine] = ['far', 'high', 'fine'].map(() => element('gml:Polygon')) as [
    XmlElement,
    XmlElement,
    XmlElement,
  ];
  const surface = (polygon: XmlElement) => ({ element: polygon, rings: [], written: [] });
  const geometry = (lod: number, surfaces: XmlElement[], role = 'body') =>
    ({
      lod,
      role,
      surfaces: surfaces.map(surface),
      solids: [],
      lines: [],
      points: [],
    }) as unknown as LodGeometry;
  own.noteLeft('bldg:Building', [geometry(1, [far])], new Map());
  assert.deepEqual(account.finish().surfaces, []);
  own.noteLeft(
    'bldg:Building',
    [
      geometry(1, [far, far, fine]),
      geometry(2, [far, high]),
      geometry(2, [high], 'aside'),
      geometry(3, [far]),
    ],
    new Map([
      [far, 'GEOMETRY_FAR_OFF'],
      [high, 'HEIGHT_IMPLAUSIBLE'],
    ]),
  );
  assert.deepEqual(
    account.finish().surfaces.map(({ lod, in: into, rest }) => [lod, into, rest]),
    [
      [1, 1, { GEOMETRY_FAR_OFF: 1 }],
      [2, 2, { GEOMETRY_FAR_OFF: 1, HEIGHT_IMPLAUSIBLE: 1 }],
    ],
  );
});

test('polygons that cannot be read count at the level of tiles that they are written for', () => {
  const { account, losses: own, issues } = losses([1, 2]);
  const polygon = () => element('gml:Polygon');
  const unplaced = polygon();
  const feature = element('bldg:Building', [
    element('bldg:lod1MultiSurface', [polygon(), polygon()]),
    element('bldg:lod2MultiSurface', [unplaced]),
    element('bldg:lod3MultiSurface', [polygon()]),
    element('bldg:other', [polygon()]),
  ]);
  assert.equal(own.noteBroken(feature, [], new Set([unplaced]), 'a'), true);
  assert.deepEqual(
    account.finish().surfaces.map(({ lod, in: into, rest }) => [lod, into, rest]),
    [
      [1, 2, { POLYGON_BROKEN: 2 }],
      [2, 1, { CRS_UNKNOWN: 1 }],
    ],
  );
  assert.deepEqual(issues(), ['POLYGON_BROKEN a 4']);
  const other = losses([1, 2]);
  assert.equal(
    other.losses.noteBroken(element('bldg:Building', [unplaced]), [], new Set([unplaced]), 'b'),
    false,
  );
  assert.deepEqual([other.account.finish().surfaces, other.issues()], [[], []]);
});
