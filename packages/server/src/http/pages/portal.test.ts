import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Fastify from 'fastify';
import { readSettings } from '../../base/settings.ts';
import { linkPictureOf } from '../../catalogue/names/link-picture.ts';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../../catalogue/testing/snapshot-rows.ts';
import { PAGES, serveDirectory } from './files.ts';
import { bestDrawn, contentSecurityPolicy, portalPage, previewIn, withPicture } from './portal.ts';

const YOKOHAMA = { cityCode: '14100', city: '横浜市', pref: '神奈川県' };
const CITY = '14100_yokohama-shi_city_2023_citygml_1_op';
const snapshot = await snapshotOf(
  cityPackage({ ...YOKOHAMA, year: 2023, name: CITY, types: ['tran', 'bldg'] }),
  cityPackage({
    ...{ ...YOKOHAMA, city: '旧横浜市', year: 2020, types: ['luse', 'bldg'] },
    name: '14100_yokohama-shi_city_2020_citygml_1_op',
  }),
  tilePackage({ lod: 2 }, { ...YOKOHAMA, year: 2023, name: `${CITY}_bldg_3dtiles_lod2` }),
);
const preview = (query: Record<string, unknown>) => previewIn(snapshot, query);
const CITY_JA = {
  title: '横浜市（神奈川県）',
  description: '2023 · 建築物モデル、交通（道路）モデル、土地利用モデル',
  drawn: null,
};

test('a link to a municipality shows its newest year and all its types', () => {
  assert.deepEqual(preview({ pick: '14100' }), CITY_JA);
  const english = preview({ pick: '14100', lang: 'en' })!;
  assert.equal(english.title, 'Yokohama (Kanagawa)');
  assert.match(english.description, /^2023 · Building/);
  for (const pick of [undefined, '', '1410', '141000', '14101', 14100, ['14100'], 'x14100'])
    assert.equal(preview({ pick }), null, String(pick));
});

test('a prefecture is no municipality, also where it has packages of its own', async () => {
  const ofAll = await snapshotOf(cityPackage({ cityCode: '14' }), cityPackage({ cityCode: '14201' }));
  assert.equal(previewIn(ofAll, { pick: '14' }), null);
  assert.match(previewIn(ofAll, { pick: '14201' })!.title, /市14201/);
});

test('a link to a dataset shows its name, place, format and year', () => {
  const { id, name } = snapshot.datasets[0]!;
  const japanese = preview({ row: id });
  assert.deepEqual(japanese, { title: name, description: '神奈川県 · 3D Tiles · LOD 2 · 2023', drawn: null });
  assert.deepEqual(preview({ model: id }), japanese);
  assert.deepEqual(preview({ row: id, model: 'other', pick: '13101' }), japanese);
  const english = preview({ row: id, lang: 'en' })!;
  assert.equal(english.description, 'Kanagawa · 3D Tiles · LOD 2 · 2023');
  assert.match(english.title, /^Buildings \(Yokohama\)$/);
});

test('a link to a composite tileset shows the municipality, and any other nothing', () => {
  assert.deepEqual(preview({ model: '14100-bldg-lod1-latest' }), CITY_JA);
  assert.deepEqual(preview({ model: '14100-bldg-latest' }), CITY_JA);
  for (const query of [
    {},
    { model: 'all-bldg-lod1-latest' },
    { row: 'unknown' },
    { model: '99999-bldg-lod1-latest' },
  ])
    assert.equal(preview(query), null, JSON.stringify(query));
});

const image = {
  theme: 'light',
  size: 'large',
  key: 'pictures/a',
  bytes: 9,
  width: 1200,
  height: 630,
} as const;
const pictures = {
  version: 1,
  images: [{ ...image, sha256: 'ab'.repeat(32), mimeType: 'image/jpeg' as const }],
};

test('a link shows the picture of what it is about, or of its municipality, or of the best one', async () => {
  const drawn = await snapshotOf(
    cityPackage({ ...YOKOHAMA, year: 2023, name: CITY, types: ['bldg'] }),
    tilePackage({ lod: 1 }, { ...YOKOHAMA, year: 2023, name: `${CITY}_bldg_3dtiles_lod1`, pictures }),
    tilePackage({ lod: 2 }, { ...YOKOHAMA, year: 2023, name: `${CITY}_bldg_3dtiles_lod2`, pictures }),
    tilePackage({ lod: 3 }, { ...YOKOHAMA, year: 2023, name: `${CITY}_bldg_3dtiles_lod3` }),
  );
  const shown = (query: Record<string, unknown>) => previewIn(drawn, query)?.drawn?.dataset?.lod;
  assert.equal(shown({ pick: '14100' }), 2);
  assert.equal(shown({ model: '14100-bldg-maxlod4-latest' }), 2);
  const rows = [1, 2, 3].map((lod) => drawn.datasets.find((one) => one.lod === lod)!.id);
  assert.deepEqual(
    rows.map((row) => shown({ row })),
    [1, 2, 2],
  );
  assert.equal(bestDrawn(drawn)!.dataset!.lod, 2);
  assert.equal(bestDrawn(drawn), bestDrawn(drawn));
  assert.equal(bestDrawn(snapshot), null);
  assert.deepEqual(linkPictureOf(bestDrawn(drawn), testUrls), {
    url: testUrls.picture(bestDrawn(drawn)!, 'light', 'large'),
    width: 1200,
    height: 630,
    mimeType: 'image/jpeg',
  });
  assert.equal(linkPictureOf(bestDrawn(snapshot), testUrls), null);
});

test('a page has the picture for all sites that show links, with words where it is about something', () => {
  const built =
    '<head><meta property="og:image" content="a"><meta property="og:image:width" content="1">' +
    '<meta property="og:image:height" content="2"><meta name="twitter:image" content="a"></head>';
  const picture = { url: 'https://a.example/?b&c', width: 1200, height: 630, mimeType: 'image/jpeg' };
  const tagsOf = (alt: string | null) =>
    Array.from(
      withPicture(built, picture, alt).matchAll(/<meta (?:property|name)="([^"]*)" content="([^"]*)"/g),
      ([, name, value]) => `${name} ${value}`,
    ).sort();
  const plain = [
    'og:image https://a.example/?b&amp;c',
    'og:image:height 630',
    'og:image:type image/jpeg',
    'og:image:width 1200',
    'twitter:image https://a.example/?b&amp;c',
  ];
  assert.deepEqual(tagsOf(null), plain);
  assert.deepEqual(
    tagsOf('"A" $&'),
    [...plain, 'og:image:alt &quot;A&quot; $&amp;', 'twitter:image:alt &quot;A&quot; $&amp;'].sort(),
  );
});

test('a page has words and a picture of what its address asks for, and settings that end no element', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'portal-'));
  t.after(() => rm(directory, { recursive: true }));
  const page =
    '<head><meta property="og:title" content="t"><meta property="og:description" content="d">' +
    '<meta property="og:image" content="/portal/assets/a.png"><script src="./assets/a.js"></script></head>' +
    '<script id="config">{}</script>';
  for (const name of ['index.html', 'admin.html']) await writeFile(join(directory, name), page);
  const drawn = cityPackage();
  const pictured: unknown[] = [];
  const options = {
    directory,
    preview: ({ pick }: Record<string, unknown>) =>
      pick === '14100' ? { title: 'A & B', description: '"C"', drawn } : null,
    picture(of: unknown) {
      pictured.push(of);
      return of === null ? null : { url: 'https://a.example/p', width: 1, height: 2, mimeType: 'image/png' };
    },
    structured: ({ pick }: Record<string, unknown>) => (pick === undefined ? null : { name: '</script>' }),
  };
  const env = {
    PUBLIC_URL: 'https://city.example.jp/base',
    BASE_MAP_ATTRIBUTION: '</script>',
    BASE_MAP_URL: 'https://m.example.jp/{z}/{x}/{y}.png',
  };
  const settings = readSettings({ ...env, EMBED_ORIGINS: 'https://frame.example.jp' });
  const app = Fastify();
  t.after(() => app.close());
  app.get('/', portalPage(settings, options));
  app.get('/admin', portalPage(settings, { directory, page: 'admin.html' }));
  const ask = async (url: string) => {
    const { body, headers } = await app.inject(url);
    const [, title] = /og:title" content="([^"]*)/.exec(body)!;
    const [, description] = /og:description" content="([^"]*)/.exec(body)!;
    const [, image] = /og:image" content="([^"]*)/.exec(body)!;
    const policy = String(headers['content-security-policy']);
    return { body, title, description, image, framed: policy.includes('https://frame.example.jp') };
  };
  const picked = await ask('/?pick=14100');
  assert.deepEqual(
    [picked.title, picked.description, picked.image, pictured],
    ['A &amp; B', '&quot;C&quot;', 'https://a.example/p', [drawn]],
  );
  assert.match(picked.body, /application\/ld\+json">{"name":"\\u003c\/script>"}/);
  const plain = await ask('/');
  assert.deepEqual([plain.title, plain.description, pictured.at(-1)], ['t', 'd', null]);
  assert.equal(plain.image, 'https://city.example.jp/base/portal/assets/a.png');
  assert.match(plain.body, /src="\/base\/portal\/assets\/a\.js"/);
  assert.doesNotMatch(plain.body, /ld\+json|attribution":"</);
  const japanese = await ask('/?lang=ja');
  assert.notEqual(japanese.title, 't');
  assert.deepEqual([plain.framed, (await ask('/?embed')).framed], [false, true]);
  assert.equal((await ask('/admin?embed')).framed, false);
});

test('the page may talk to this service and to the base map alone', () => {
  const policy = (env: Record<string, string>, ancestors = ["'self'"]) =>
    new Map(
      contentSecurityPolicy(readSettings(env), ancestors)
        .split('; ')
        .map((line) => [line.split(' ', 1)[0]!, line.split(' ').slice(1)]),
    );
  const own = { PUBLIC_URL: 'https://city.example.jp/base', ASSET_URL: 'https://assets.example.jp/a' };
  const places = ["'self'", 'https://city.example.jp', 'https://assets.example.jp'];
  const plain = policy(own);
  assert.deepEqual(plain.get('img-src'), [...places, 'data:', 'blob:']);
  assert.deepEqual(plain.get('connect-src'), [...places, 'data:', 'blob:']);
  assert.deepEqual(plain.get('default-src'), ["'none'"]);
  assert.deepEqual(plain.get('script-src'), ["'self'", "'wasm-unsafe-eval'"]);
  const mapped = policy({ ...own, BASE_MAP_URL: 'https://map.example.jp/{z}/{x}/{y}.png' }, ['a', 'b']);
  assert.deepEqual(mapped.get('img-src'), [...places, 'https://map.example.jp', 'data:', 'blob:']);
  assert.deepEqual(mapped.get('frame-ancestors'), ['a', 'b']);
});

test('files that are not built yet have no paths, and nobody is told of them at each start', async () => {
  const lines: string[] = [];
  const app = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
  await serveDirectory(app, '/files/', `${PAGES}-of-no-build`, { lasting: true });
  await app.ready();
  assert.equal(app.hasRoute({ method: 'GET', url: '/files/*' }), false);
  assert.deepEqual(lines, []);
  await app.close();
});
