/** Checks of our own that look at one element after the other, and those of systems and codes, without a package. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import type { Check, Finding } from '../../check.ts';
import { CITY_CODES } from '../bldg/city-code.ts';
import { CRS } from '../common/crs.ts';
import { HEIGHT } from './height.ts';
import { PLACE } from './place.ts';
import { TEXTURE } from './texture.ts';

const el = (
  name: string,
  text = '',
  children: XmlElement[] = [],
  attributes: Record<string, string> = {},
): XmlElement => ({ name, attributes, children, text });

/** A file as a check opens it, and what is found in it. */
function opened(check: Check, file: Record<string, unknown> = {}) {
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const opening = check.open({
    ...{ path: 'udx/bldg/53394525_bldg_6697_op.gml', folder: 'bldg', spec: 4, envelope: { srsName: null } },
    report: (finding: Finding) => void findings.push(finding),
    skipped: (what: string) => void skipped.push(what),
    package: {},
    ...file,
  } as never) as unknown as {
    looksAt(name: string): boolean;
    element(element: XmlElement, above: unknown, member: object): void;
    member?(member: object): void | Promise<void>;
    appearance?(text: Buffer | null): void;
    end?(): void;
  } | null;
  let line = 0;
  return {
    findings,
    skipped,
    opening,
    /** A feature with these elements below it. */
    async feature(elements: XmlElement[], more: object = {}) {
      const feature = el('bldg:Building', '', elements, { 'gml:id': `b${++line}` });
      const visit = (element: XmlElement) => {
        if (opening!.looksAt(element.name)) opening!.element(element, [], { feature, line });
        element.children.forEach(visit);
      };
      visit(feature);
      await opening!.member?.({ feature, line, ...more });
    },
  };
}

const positions = (...numbers: number[]) => el('gml:posList', numbers.join(' '));

test('own.height: positions beyond reason are one finding of a feature, measured heights one each', async () => {
  const { feature, findings } = opened(HEIGHT);
  await feature([positions(35, 139, -1_000, 35, 139, 4_000)]);
  await feature([positions(35, 139, 5, 35, 139, 4_000.5, 35, 139, 9_999), positions(35, 139, -1_001)]);
  await feature([positions(35, 139, -1_000.1)]);
  await feature([positions(35, 139, 1)]);
  assert.deepEqual(
    findings.map(({ id, ref, line, type, message }) => [id, ref, line, type, message]),
    [
      ['b2', '4000.5', 2, 'bldg:Building', 'The feature has a height of 4000.5 m.'],
      ['b3', '-1000.1', 3, 'bldg:Building', 'The feature has a height of -1000.1 m.'],
    ],
  );
  assert.deepEqual(findings[0]!.position, [139, 35, 5]);
  findings.length = 0;
  const measured = ['700', '0.1', '-9999', '', ' ', 'x', '0', '-1', '700.1'];
  await feature(measured.map((text) => el('bldg:measuredHeight', text)));
  assert.deepEqual(
    findings.map(({ ref, message }) => [ref, message]),
    ['0', '-1', '700.1'].map((text) => [text, `The measured height is ${text} m.`]),
  );
});

test('own.place: a feature is far when all of it lies beyond a hundredth of a degree', async () => {
  const { feature, findings, opening } = opened(PLACE);
  // The mesh is from 139.6875 to 139.7 and from 35.6833 to 35.6917 degrees.
  assert.ok(opening!.looksAt('gml:posList') && !opening!.looksAt('gml:name'));
  const [west, east, south, north] = [139.6875, 139.7, 35 + 41 / 60, 35 + 41.5 / 60];
  const near = 0.0099;
  const far = 0.0101;
  for (const [lat, lng] of [
    [south, west],
    [north + near, east],
    [south - near, west],
    [south, east + near],
    [south, west - near],
  ] as const)
    await feature([positions(lat, lng, 0)]);
  await feature([positions(south, east + 1, 0, south, west, 0)]);
  await feature([positions(-12_345, 6_789, 0)]);
  await feature([]);
  assert.equal(findings.length, 0);
  await feature([positions(north + far, east, 0)]);
  await feature([positions(south - far, east, 0)]);
  await feature([positions(south, east + far, 0, south, east + far + 0.02, 0)]);
  await feature([positions(south, west - far, 0)]);
  await feature([positions(south, west, 0)], { extent: [west - 1, south, west - 0.5, north] });
  assert.deepEqual(
    findings.map(({ id, line, type }) => [id, line, type]),
    [9, 10, 11, 12, 13].map((n) => [`b${n}`, n, 'bldg:Building']),
  );
  const [lng, lat, height] = findings[2]!.position!;
  assert.ok(Math.abs(lng! - (east + far + 0.01)) < 1e-9 && lat === south && height === 0);
  await feature([positions(north + 2, east, 0)], { extent: [west, south, east, north] });
  assert.equal(findings.length, 5, 'the extent that is known counts');
  for (const path of ['udx/bldg/tower.gml', 'udx/bldg/5339_bldg.gml', 'udx/bldg/99999999_bldg.gml'])
    assert.equal(opened(PLACE, { path }).opening, null, path);
  assert.notEqual(opened(PLACE, { path: '533945_bldg.gml' }).opening, null);
});

test('own.texture: an image that is missing is told once, wherever it is named', async () => {
  const has = new Set(['udx/bldg/a.jpg', 'udx/b.jpg']);
  const of = () => opened(TEXTURE, { package: { hasMember: (path: string) => has.has(path) } });
  const { feature, findings, opening, skipped } = of();
  const uris = [
    'a.jpg',
    '../b.jpg',
    '..\\b.jpg',
    '',
    'http://x/y.jpg',
    'none.jpg',
    ' none.jpg ',
    './a.jpg',
    '/c.jpg',
  ];
  await feature(uris.map((uri) => el('app:imageURI', uri)));
  assert.deepEqual(
    findings.map(({ id, ref, line, message }) => [id, ref, line, message]),
    ['none.jpg', '/c.jpg'].map((uri) => [null, uri, 1, `The image ${uri} is not in the package.`]),
  );
  findings.length = 0;
  const text =
    '<app:imageURI>d&amp;e.jpg</app:imageURI><imageURI> a.jpg\n</imageURI><app:imageURI>none.jpg</app:imageURI>';
  opening!.appearance!(Buffer.from(text));
  opening!.appearance!(Buffer.from('<app:imageURI>open.jpg'));
  opening!.appearance!(Buffer.from('<app:imageURI/><app:imageURI></app:imageURI> behind <a/>'));
  assert.deepEqual(
    findings.map(({ ref, line }) => [ref, line]),
    [
      ['d&e.jpg', null],
      ['open.jpg', null],
    ],
  );
  assert.deepEqual(skipped, []);
  opening!.appearance!(null);
  assert.deepEqual(skipped, ['own.texture: an appearance is too large to be looked at']);
});

test('L05: a file is in a system of JGD2011, utility networks also on a plane', () => {
  const base = 'http://www.opengis.net/def/crs/EPSG/0/';
  const of = (srsNames: Array<string | null>, file: Record<string, unknown> = {}) => {
    const { opening, findings } = opened(CRS, file);
    assert.ok(opening!.looksAt('gml:Envelope') && !opening!.looksAt('gml:boundedBy'));
    for (const srsName of srsNames)
      opening!.element(el('gml:Envelope', '', [], srsName === null ? {} : { srsName }), [], {});
    opening!.end!();
    return findings.map(({ ref, message }) => `${ref}: ${message}`);
  };
  const wrong = (name: string) => [`${name}: The coordinate reference system is ${name}.`];
  for (const code of ['6697', '6668']) assert.deepEqual(of([base + code]), []);
  assert.deepEqual(of(['EPSG:6697']), wrong('EPSG:6697'));
  assert.deepEqual(of([`${base}6697`, `${base}4326`]), [], 'the first counts');
  assert.deepEqual(of([null, `${base}4326`]), []);
  assert.deepEqual(of([]), []);
  assert.deepEqual(of([`${base}6697`], { envelope: { srsName: `${base}4326` } }), wrong(`${base}4326`));
  for (const [code, isRight] of [
    [10_161, false],
    [10_162, true],
    [10_174, true],
    [10_175, false],
  ] as const) {
    assert.deepEqual(of([base + code], { folder: 'unf' }), isRight ? [] : wrong(base + code));
    assert.deepEqual(of([base + code]), wrong(base + code), 'not of buildings');
  }
});

test('bldg.city: a building names a municipality of the list, of a city with wards the ward', async () => {
  const list = new Map([
    ['13101', '千代田区'],
    ['14100', '横浜市'],
  ]);
  let asked = 0;
  const of = async (spec: number, codes: Array<string | null>, known: Map<string, string> | null = list) => {
    const { feature, findings } = opened(CITY_CODES, {
      spec,
      package: {
        codeList: async (path: string) => {
          asked++;
          assert.equal(path, '../../codelists/Common_localPublicAuthorities.xml');
          return known;
        },
      },
    });
    const attribute = (name: string, ...children: XmlElement[]) =>
      el(`uro:${name[0]!.toLowerCase()}${name.slice(1)}`, '', [el(`uro:${name}`, '', children)]);
    for (const code of codes) {
      const ids = attribute('BuildingIDAttribute', ...(code === null ? [] : [el('uro:city', code)]));
      await feature([ids, attribute('BuildingDetailAttribute')]);
    }
    return findings.map(({ row }) => row?.['City Code Error']);
  };
  assert.deepEqual(await of(4, ['13101', '99999', '14100', '', null]), [
    '99999: コードリストに該当なし',
    '14100 横浜市:要修正（区のコードとする）',
    '<未設定>',
    '<未設定>',
  ]);
  assert.equal(asked, 1, 'the list is read once');
  assert.deepEqual(await of(6, ['13101', '1']), ['1: コードリストに該当なし']);
  assert.deepEqual(await of(4, ['99999', '01100'], null), ['01100 :要修正（区のコードとする）']);
});
