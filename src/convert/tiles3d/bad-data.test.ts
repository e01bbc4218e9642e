import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ISSUE_TEXTS } from '../read/issue-counter.ts';
import { checkPackage, finestFeatures } from './testing/check-package.ts';
import { convertGml } from './testing/convert-gml.ts';
import { box, building, fixture, polygon, type Ring, solid } from './testing/fixture-gml.ts';

const good = building('good', solid(1, box([0, 0, 0], [10, 10, 10])));
const withPolygon = (id: string, ring: Ring) =>
  building(id, solid(1, [...box([50, 0, 0], [10, 10, 10]), polygon([ring])]));

/** What is wrong, and what it becomes: codes of issues, and ids in the tiles. */
const CASES: Array<[string, { members: string[]; srs?: string; codes: string[]; ids: string[] }]> = [
  [
    'a ring of two positions',
    {
      members: [
        good,
        withPolygon('a', [
          [0, 0, 0],
          [5, 0, 0],
        ]),
      ],
      codes: ['POLYGON_BROKEN'],
      ids: ['a', 'good'],
    },
  ],
  [
    'a polygon without an area',
    {
      members: [
        good,
        withPolygon('a', [
          [0, 0, 0],
          [5, 0, 0],
          [2, 0, 0],
        ]),
      ],
      codes: ['POLYGON_TINY'],
      ids: ['a', 'good'],
    },
  ],
  [
    'a bent polygon',
    {
      members: [
        good,
        withPolygon('a', [
          [0, 0, 0],
          [5, 0, 1],
          [5, 5, 0],
          [0, 5, 1],
        ]),
      ],
      codes: ['POLYGON_BENT'],
      ids: ['a', 'good'],
    },
  ],
  [
    'an unknown coordinate reference system',
    { members: [good], srs: 'EPSG:999999', codes: ['CRS_UNKNOWN'], ids: [] },
  ],
  ['one id for two features', { members: [good, good], codes: ['ID_TWICE'], ids: ['good', 'good#2'] }],
  [
    'no id',
    {
      members: [building(null, solid(1, box([0, 0, 0], [10, 10, 10])))],
      codes: ['ID_MISSING'],
      ids: ['udx/bldg/53394525_bldg_6697_op.gml#0'],
    },
  ],
  [
    'positions without heights',
    {
      members: [
        good,
        building(
          'flat',
          '<bldg:lod1MultiSurface><gml:MultiSurface srsName="EPSG:6668" srsDimension="2"><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>35.68 139.77 35.69 139.77 35.69 139.78 35.68 139.77</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface></bldg:lod1MultiSurface>',
        ),
      ],
      codes: ['FLAT_DATA'],
      ids: ['good'],
    },
  ],
  [
    'a building of another city',
    {
      members: [
        good,
        building(
          'far',
          solid(1, box([0, 0, 0], [10, 10, 10])),
          '<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:city>14130</uro:city></uro:BuildingIDAttribute></uro:buildingIDAttribute>',
        ),
      ],
      codes: ['CITY_OUTSIDE'],
      ids: ['good'],
    },
  ],
];

for (const [name, { members, srs, codes, ids }] of CASES) {
  test(`${name} never stops a conversion`, async () => {
    const { packages, issues } = await convertGml([fixture(members, srs === undefined ? {} : { srs })]);
    assert.deepEqual(
      issues.map(({ code }) => code),
      codes,
    );
    for (const { code, severity, message, remedy } of issues) {
      assert.ok(message.endsWith('.') && remedy.endsWith('.'));
      assert.equal(severity, ISSUE_TEXTS[code as keyof typeof ISSUE_TEXTS].severity);
    }
    const files = packages.get('bldg_3dtiles_lod1');
    const found =
      files === undefined ? [] : finestFeatures(await checkPackage(files)).map(({ row }) => row.gml_id);
    assert.deepEqual(found.sort(), ids);
  });
}

test('rings that cross are cut as far as they can be', async () => {
  const bowTie: Ring = [
    [0, 0, 0],
    [10, 10, 0],
    [10, 0, 0],
    [0, 9, 0],
  ];
  const { packages } = await convertGml([fixture([withPolygon('a', bowTie)])]);
  assert.equal(finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!)).length, 1);
});

test('what a file holds twice, and references in circles, are read once', async () => {
  const shared = box([0, 0, 0], [10, 10, 10], 's');
  const twice = `${solid(2, shared)}<bldg:boundedBy><bldg:WallSurface><bldg:lod2MultiSurface><gml:MultiSurface>${shared.map((_, i) => `<gml:surfaceMember xlink:href="#s-p${i}"/>`).join('')}</gml:MultiSurface></bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>`;
  const { packages } = await convertGml([fixture([building('a', twice)])]);
  const [feature] = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod2')!));
  assert.ok(Math.abs(feature!.area / 600 - 1) < 0.02, `${feature!.area} m²`);
});
