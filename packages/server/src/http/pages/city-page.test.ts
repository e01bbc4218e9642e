/** The page of a city at the router, without a socket. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Fastify from 'fastify';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../../catalogue/testing/snapshot-rows.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { type InjectedService, injectService } from '../testing/inject-service.ts';
import { serveCityPages } from './city-page.ts';

let service: InjectedService;

before(async () => {
  service = await injectService();
});
after(() => service[Symbol.asyncDispose]());

const ORIGIN = 'http://localhost:8080';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const plain = (text: string) => text.replaceAll('&#39;', "'").replaceAll('&amp;', '&');

const KAWASAKI = { prefCode: '14', pref: '神奈川県', cityCode: '14130', city: '川崎市' };
const WARD_1 = { ...KAWASAKI, wardCode: '14131', ward: '川崎区' };
const WARD_2 = { ...KAWASAKI, wardCode: '14132', ward: '幸区' };

describe('the page of a city', () => {
  test('has what its address asks for: language, theme, and the caller’s language else', async () => {
    const japanese = await service.ask('/city/13101', { headers: { ...BROWSER, 'accept-language': 'ja' } });
    assert.equal(japanese.status, 200);
    assert.equal(japanese.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(japanese.headers['content-language'], 'ja');
    assert.match(String(japanese.headers.vary), /accept-language/);
    assert.match(japanese.text, /<h1>千代田区 /);
    const english = await service.ask('/city/13101?lang=en&theme=dark', {
      headers: { 'accept-language': 'ja' },
    });
    assert.match(english.text, /^<!doctype html>\n<html lang="en" data-theme="dark">/);
    assert.match(english.text, /<h1>Chiyoda-ku /);
    const other = await service.ask('/city/13101?lang=xx&theme=pink');
    assert.match(other.text, /^<!doctype html>\n<html lang="ja">/);
    const again = await service.ask('/city/13101?lang=en&theme=dark', {
      headers: { 'if-none-match': String(english.headers.etag) },
    });
    assert.equal(again.status, 304);
    const head = await service.ask('/city/13101', { method: 'HEAD' });
    assert.deepEqual([head.status, head.body.length], [200, 0]);
  });

  test('every call that it prints and every file that it leads to has an answer', async () => {
    const { text } = await service.ask('/city/13101?lang=en');
    const calls = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(([, command]) =>
      plain(command!),
    );
    assert.ok(calls.length >= 6, calls.join('\n'));
    const urls = calls.map((command) => /^curl -f.* '(\S+)'$/.exec(command)![1]!);
    for (const [, url] of text.matchAll(/(?:data-copy|href)="((?:http|\/)[^"]+)"/g)) urls.push(plain(url!));
    for (const url of new Set(urls)) {
      const path = url.startsWith(ORIGIN) ? url.slice(ORIGIN.length) : url;
      const answer = await service.ask(path);
      // Without a build there is no portal.
      if (/^\/(\?|docs|status|portal)|^\/$/.test(path)) continue;
      assert.ok(answer.status < 400, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  });

  test('has the data of schema.org, and stands in the sitemap', async () => {
    const { text } = await service.ask('/city/13101');
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!);
    assert.deepEqual([data['@type'], data.url], ['Dataset', `${ORIGIN}/city/13101`]);
    assert.match(
      (await service.ask('/sitemap.xml')).text,
      /<loc>http:\/\/localhost:8080\/city\/13101<\/loc>/,
    );
  });

  test('has a QGIS project of all its tiles', async () => {
    const { status, headers, text } = await service.ask('/city/13101/project.qgs?lang=en');
    assert.equal(status, 200);
    assert.equal(headers['content-disposition'], 'attachment; filename="13101.qgs"');
    assert.match(text, /<maplayer type="tiled-scene">.*url=http:\/\/localhost:8080\/datacatalog\/3dtiles\//);
    assert.match(text, /<maplayer type="vector-tile".*\{z\}\/\{x\}\/\{y\}\.mvt&amp;zmin=14&amp;zmax=14/);
    assert.match(text, /<layer-tree-group name="Land use"/);
    for (const city of ['99999', 'chiyoda-ku'])
      assert.equal((await service.ask(`/city/${city}/project.qgs`)).status, 404);
  });

  test('a name leads to the code with what was chosen', async () => {
    for (const name of ['千代田区', 'chiyoda-ku', 'ちよだく']) {
      const answer = await service.ask(`/city/${encodeURIComponent(name)}?lang=en&x=1`);
      assert.deepEqual([answer.status, answer.headers.location], [302, `${ORIGIN}/city/13101?lang=en`], name);
    }
  });

  test('what is not there is a page for people and JSON for programs', async () => {
    for (const city of ['99999', 'nix', '%3Cscript%3E', '13', 'a'.repeat(300)]) {
      const page = await service.ask(`/city/${city}`, { headers: BROWSER });
      assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'], city);
      assert.doesNotMatch(page.text, /<script>/);
      for (const accept of ['application/json', '*/*']) {
        const json = await service.ask(`/city/${city}`, { headers: { accept } });
        assert.equal(json.status, 404);
        assert.equal(json.json<{ error: string }>().error, 'not found');
        assert.ok(json.json<{ reason: string }>().reason.length < 200);
      }
    }
  });

  test('shows the best picture of the city, and of no other one', async () => {
    const drawn = (no: number, facts: object, cityCode = '13101') => {
      const image = { theme: 'light', size: 'large', width: 12, height: 6, bytes: 1, mimeType: 'image/jpeg' };
      const images = [{ ...image, sha256: `${no}`.repeat(64) }];
      return tilePackage(facts, { no, cityCode, pictures: { version: 1, images } as never });
    };
    const rows = [
      cityPackage({ no: 1 }),
      cityPackage({ no: 2, cityCode: '13102' }),
      drawn(3, { type: 'tran', lod: 3 }),
      drawn(4, { type: 'bldg', lod: 1 }),
      drawn(5, { type: 'bldg', lod: 2 }, '13102'),
      // Two wards of a city, of which the second is drawn better.
      cityPackage({ no: 6, ...WARD_1 }),
      cityPackage({ no: 7, ...WARD_2 }),
      { ...drawn(8, { type: 'bldg', lod: 1 }), ...WARD_1 },
      { ...drawn(9, { type: 'bldg', lod: 2 }), ...WARD_2 },
    ];
    const snapshot = await snapshotOf(...rows);
    const context = {
      watch: { current: () => snapshot },
      urls: testUrls,
      settings: { PUBLIC_URL: 'https://data.example' },
      coverage: { of: async () => new Map() },
    } as unknown as ServiceContext;
    const app = Fastify();
    serveCityPages(app, context, async () => ({ status: 200, json: { cities: [], meshes_km2: 0 } }));
    for (const [city, best] of [
      ['13101', rows[3]!],
      ['13102', rows[4]!],
      ['14130', rows[8]!],
      ['14131', rows[7]!],
      ['14132', rows[8]!],
    ] as const) {
      const { payload } = await app.inject(`/city/${city}`);
      const url = /property="og:image" content="([^"]*)"/.exec(payload)?.[1];
      assert.equal(plain(url ?? ''), testUrls.picture(best, 'light', 'large'));
    }
    await app.close();
  });

  test('is refused while its files cannot be counted', async () => {
    const snapshot = await snapshotOf(cityPackage());
    const context = {
      watch: { current: () => snapshot },
      urls: testUrls,
      settings: { PUBLIC_URL: 'https://data.example' },
    } as unknown as ServiceContext;
    const asked: string[] = [];
    const app = Fastify();
    handleFailures(app, () => {});
    serveCityPages(app, context, async (path) => {
      asked.push(path);
      return { status: 503, json: { cities: [], meshes_km2: 0 } };
    });
    const { statusCode, headers, payload } = await app.inject('/city/13101');
    assert.deepEqual([statusCode, headers['retry-after']], [503, '5']);
    assert.match(payload, /The files of the area cannot be counted at the moment/);
    assert.deepEqual(asked, ['/datacatalog/counts/13101']);
    await app.close();
  });
});
