import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { apiCalls } from './api-calls.ts';
import { citiesNamed, cityArea } from './city-area.ts';
import { cityFacts } from './city-facts.ts';
import { cityHtml, noCityHtml } from './city-html.ts';
import { cityWords } from './city-words.ts';
import { meshPicture } from './mesh-picture.ts';

const OSAKA = { cityCode: '27100', city: '大阪市', pref: '大阪府' };
const snapshot = await snapshotOf(
  cityPackage({ ...OSAKA, year: 2022, license: 'CC BY 4.0' }),
  cityPackage({
    ...{ ...OSAKA, year: 2024, license: 'own <terms>' },
    tables: [{ type: 'bldg', size: 1, sha256: '', features: 3 }] as never,
  }),
  tilePackage({ lod: 2 }, { ...OSAKA, year: 2024, license: 'CC BY 4.0' }),
  tilePackage({ lod: 2 }, { ...OSAKA, year: 2022 }),
  cityPackage({ cityCode: '14100', wardCode: '14101', city: '横浜市', ward: '鶴見区' }),
  cityPackage({ cityCode: '13206', city: '府中市' }),
  cityPackage({ cityCode: '34208', city: '府中市' }),
  cityPackage({ cityCode: '47900', city: '青凪市', name: '47900_aonagi-shi_city_2024_citygml_1_op' }),
  cityPackage({ cityCode: '99901', city: '<b>市', name: '99901_x-shi_city_2024_citygml_1_op' }),
);

test('a name in any script means the area that has data', () => {
  for (const name of ['大阪市', '大阪府大阪市', '大阪', 'おおさか', 'osaka', 'osaka-shi', 'Ōsaka', ' osaka '])
    assert.deepEqual(citiesNamed(snapshot, name), ['27100'], name);
  assert.deepEqual(citiesNamed(snapshot, '大阪市北区'), ['27127']);
  assert.deepEqual(citiesNamed(snapshot, '青凪市'), ['47900']);
  assert.deepEqual(citiesNamed(snapshot, 'Aonagi-shi'), ['47900']);
  assert.deepEqual(citiesNamed(snapshot, '横浜市鶴見区'), ['14101']);
  assert.deepEqual(citiesNamed(snapshot, '府中市'), ['13206', '34208']);
  for (const name of ['', 'nix', '札幌市', '大阪府', '大'.repeat(101), '27100'])
    assert.deepEqual(citiesNamed(snapshot, name), [], name);
});

test('an area has its own packages, else those of its wards, else those of the city around it', () => {
  const extent = (code: string) => {
    const area = cityArea(snapshot, code);
    return area && [area.extent, area.name, area.around?.code ?? null, area.packages.length];
  };
  assert.deepEqual(extent('27100'), ['own', '大阪市', null, 4]);
  assert.deepEqual(extent('27127'), ['city', '北区', '27100', 4]);
  assert.deepEqual(extent('14100'), ['wards', '横浜市', null, 1]);
  assert.deepEqual(extent('14101'), ['own', '鶴見区', '14100', 1]);
  for (const code of ['01100', '27', '', '2710', '271000', 'x7100']) assert.equal(extent(code), null, code);
});

const counts = {
  cities: [
    { cityCode: '27100', year: 2024, types: { bldg: { files: 2, features: 30, bytes: 9, max_lod: 2 } } },
    {
      ...{ cityCode: '27100', year: 2022 },
      types: {
        bldg: { files: 9, features: 90, bytes: 9, max_lod: 4 },
        fld: { files: 1, features: 5, bytes: 9, max_lod: 1 },
      },
    },
  ],
  meshes_km2: 2.1,
};
const facts = cityFacts(snapshot, testUrls, cityArea(snapshot, '27100')!, counts);

test('types are counted in their newest year, and tiles are those of the newest', () => {
  assert.deepEqual(
    facts.types.map(({ type, year, features, maxLod }) => [type, year, features, maxLod]),
    [
      ['bldg', 2024, 30, 2],
      ['fld', 2022, 5, 1],
    ],
  );
  assert.equal(facts.types[0]!.table, 'https://data.example/datacatalog/citygml/27100-2024/bldg.parquet');
  assert.equal(facts.types[1]!.table, null);
  assert.deepEqual(
    facts.tiles.map(({ year, url }) => [year, url]),
    [[2024, 'https://data.example/datacatalog/3dtiles/27100-bldg-lod2-latest/tileset.json']],
  );
  assert.deepEqual(
    facts.editions.map(({ year }) => year),
    [2024, 2022],
  );
  assert.deepEqual(facts.licences, ['CC BY 4.0', 'own <terms>', null]);
});

test('counts of wards of one year are summed for their city', () => {
  const area = cityArea(snapshot, '14100')!;
  const types = { bldg: { files: 1, features: 2, bytes: 3, max_lod: 1 } };
  const wards = [
    { cityCode: '14101', year: 2024, types },
    { cityCode: '14102', year: 2024, types: { bldg: { ...types.bldg, max_lod: 3 } } },
  ];
  const [sum] = cityFacts(snapshot, testUrls, area, { cities: wards, meshes_km2: 0 }).types;
  assert.deepEqual([sum!.files, sum!.features, sum!.bytes, sum!.maxLod], [2, 4, 6, 3]);
  assert.deepEqual(cityFacts(snapshot, testUrls, area, { cities: [], meshes_km2: 0 }).wards, [
    { code: '14101', name: '鶴見区' },
  ]);
});

test('calls are those that the area has an answer to', () => {
  const titles = (code: string, of = counts) =>
    apiCalls(cityFacts(snapshot, testUrls, cityArea(snapshot, code)!, of), testUrls).map(
      ({ title }) => title,
    );
  assert.ok(titles('27100').includes('callChanges') && titles('27100').includes('callItems'));
  assert.ok(!titles('14101').includes('callChanges'), 'one edition');
  assert.ok(!titles('14101').includes('callItems'), 'collections are of municipalities');
  assert.ok(!titles('14100').includes('callZip'), 'each ward has a zip of its own');
  assert.deepEqual(titles('47900', { cities: [], meshes_km2: 0 }), ['callStac']);
});

const frame = {
  ...{ theme: null, base: '/base', publicUrl: 'https://data.example/base', chosen: {}, picture: null },
  words: cityWords('en'),
};

test('what packages say cannot end an element', () => {
  const area = cityArea(snapshot, '99901')!;
  const page = { facts: cityFacts(snapshot, testUrls, area, counts), words: frame.words, frame };
  const structured = { name: '</script><b>' };
  const html = cityHtml(frame, page, { picture: null, calls: [], structured });
  assert.doesNotMatch(html, /<b>|own <terms>/);
  assert.match(html, /&lt;b&gt;市/);
  const none = noCityHtml(frame, '/city/%3Cb%3E', [area]);
  assert.doesNotMatch(none, /<b>/);
  assert.match(none, /name="robots" content="noindex"/);
});

test('a page shows the city in its theme, and other sites the same picture', () => {
  const area = cityArea(snapshot, '27100')!;
  const page = { facts: cityFacts(snapshot, testUrls, area, counts), words: frame.words, frame };
  const look = { light: 'https://a.example/l?"', dark: 'https://a.example/d', width: 1200, height: 630 };
  const picture = { url: 'https://a.example/l', width: 1200, height: 630, mimeType: 'image/jpeg' };
  const htmlIn = (theme: 'light' | 'dark' | null) =>
    cityHtml({ ...frame, theme, picture }, page, { picture: null, look, calls: [], structured: {} });
  const html = htmlIn(null);
  assert.match(html, /<source media="\(prefers-color-scheme: dark\)" srcset="https:\/\/a.example\/d">/);
  assert.match(
    html,
    /<img src="https:\/\/a.example\/l\?&quot;" alt="3D city model of Osaka" width="1200" height="630">/,
  );
  assert.match(htmlIn('dark'), /<div class="look"><img src="https:\/\/a.example\/d"/);
  for (const [name, value] of [
    ['image', 'https://a.example/l'],
    ['image:type', 'image/jpeg'],
    ['image:width', '1200'],
    ['image:height', '630'],
    ['image:alt', 'Osaka (Osaka)'],
  ]) {
    assert.ok(html.includes(`<meta property="og:${name}" content="${value}">`), name);
  }
  for (const [name, value] of [
    ['card', 'summary_large_image'],
    ['image', 'https://a.example/l'],
    ['image:alt', 'Osaka (Osaka)'],
  ]) {
    assert.ok(html.includes(`<meta name="twitter:${name}" content="${value}">`), name);
  }
  const without = cityHtml(frame, page, { picture: null, calls: [], structured: {} });
  assert.doesNotMatch(without, /class="look"|og:image|twitter:image/);
  assert.match(without, /<meta name="twitter:card" content="summary">/);
});

test('a page has the words of one language, and keeps what was chosen in its links', () => {
  const words = cityWords('ja');
  const chosen = { ...frame, words, theme: 'dark' as const, chosen: { theme: 'dark' } };
  const html = cityHtml(
    chosen,
    { facts, words, frame: chosen },
    { picture: null, calls: [], structured: {} },
  );
  assert.match(html, /^<!doctype html>\n<html lang="ja" data-theme="dark">/);
  assert.match(html, /<title>大阪市（大阪府） – 都市モデルデータ<\/title>/);
  assert.match(html, /href="\/base\/\?pick=27100&amp;theme=dark"/);
  assert.match(html, /href="\/base\/city\/27100\?theme=dark&amp;lang=en"/);
  assert.match(html, /洪水浸水想定区域/);
  const english = cityHtml(
    frame,
    { facts, words: frame.words, frame },
    { picture: null, calls: [], structured: {} },
  );
  assert.match(english, /<title>Osaka \(Osaka\) – City Model Data<\/title>/);
  assert.doesNotMatch(english.replaceAll(/<[^>]* lang="ja"[^>]*>[^<]*</g, ''), /データ/);
});

test('meshes are drawn in the classes of their LOD, and nothing where there are none', () => {
  assert.equal(meshPicture([], 'x'), null);
  const { svg, meshes } = meshPicture(
    [
      ['53394509', 2, 1, 2024, 1, 1],
      ['53394519', 9, 1, 2024, 1, 1],
      ['53394529', -1, 1, 2024, 1, 1],
    ],
    'x',
  )!;
  assert.deepEqual(meshes, [1, 0, 1, 0, 1]);
  assert.match(svg, /^<svg viewBox="-4 -4 /);
  // The northernmost of a column begins at the upper edge, and all are as wide as the drawing.
  assert.match(svg, /<path class="lod0" d="M0 0H[\d.]+V160H0Z"/);
  assert.match(svg, /<path class="lod2" d="M0 320H[\d.]+V480H0Z"/);
});

test('sizes have three digits and their unit, and days are those of Japan', () => {
  const { bytes, day, number, year } = cityWords('en');
  assert.deepEqual([0, 999, 999.9, 1000, 1_234_567, 5e15].map(bytes), [
    '0 B',
    '999 B',
    '1 kB',
    '1 kB',
    '1.23 MB',
    '5,000 TB',
  ]);
  assert.equal(day('2024-03-31T15:30:00Z'), '1 Apr 2024');
  assert.deepEqual([number(1234.56), year(2024)], ['1,234.6', '2024']);
  assert.equal(cityWords('ja').year(2024), '2024年度');
});
