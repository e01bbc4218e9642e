/**
 * The requirements of OGC API – Features that the service claims to keep, each under its id with a check: Part 1 (OGC
 * 17-069r4, Annex A), Part 2 (18-058r1) and Part 3 (19-079r2).
 */
import assert from 'node:assert/strict';
import type { TestServer } from '../support/server.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
const QUERYABLES = 'http://www.opengis.net/def/rel/ogc/1.0/queryables';
const GEOJSON = 'application/geo+json';
const ITEMS = '/ogc/collections/{collectionId}/items';

/** Checks by the ids of requirements, without `http://www.opengis.net/spec/ogcapi-features-1/1.0/req/` and the like. */
export function requirements(server: () => TestServer, id: string): Record<string, () => Promise<void>> {
  const collection = `/ogc/collections/${id}`;
  const items = `${collection}/items`;
  const get = (path: string, headers: Record<string, string> = {}) => server().request(path, { headers });
  const json = (path: string) => server().json<Any>(path);
  const follow = (href: string) => get(server().pathOf(href));
  let known: Promise<Any> | undefined;
  const api = () => {
    known ??= json('/ogc/api');
    return known;
  };
  const query = (one: Record<string, string>) => `${items}?${new URLSearchParams(one)}`;
  const features = async (one: Record<string, string>): Promise<Any[]> => (await json(query(one))).features;
  const first = async () => (await features({ limit: '1' }))[0];
  const refused = async (path: string) => assert.equal((await get(path)).status, 400, path);
  const linkOf = ({ links }: Any, rel: string, type?: string) =>
    links.find((link: Any) => link.rel === rel && (type === undefined || link.type === type)) ??
    assert.fail(`no link ${rel}`);
  const definedAs = async (name: string, schema: Any) => {
    const found = (await api()).paths[ITEMS].get.parameters.find((one: Any) => one.name === name);
    assert.deepEqual(
      [found?.in, found?.required, found?.style, found?.explode],
      ['query', false, 'form', false],
    );
    assert.partialDeepStrictEqual(found.schema, schema);
  };
  const fails = async (operation: string, codes: readonly string[]) => {
    const { responses } = (await api()).paths[operation].get;
    for (const code of codes) assert.ok(code in responses, `${operation} ${code}`);
  };
  const isWithin = ([lng, lat]: number[], [west, south, east, north]: number[]) =>
    lng! >= west! - 1e-9 && lng! <= east! + 1e-9 && lat! >= south! - 1e-9 && lat! <= north! + 1e-9;
  const positions = ({ geometry }: Any): number[][] => geometry.coordinates.flat(2);
  const boxOf = (feature: Any): number[] => {
    const [lngs, lats] = [0, 1].map((axis) => positions(feature).map((one) => one[axis]!));
    return [Math.min(...lngs!), Math.min(...lats!), Math.max(...lngs!), Math.max(...lats!)];
  };

  return {
    'core/http': async () => {
      const head = await server().request('/ogc', { method: 'HEAD' });
      assert.deepEqual([head.status, head.body.length], [200, 0]);
    },
    'core/root-op': async () => assert.equal((await get('/ogc')).status, 200),
    'core/root-success': async () => {
      const landing = await json('/ogc');
      for (const rel of ['service-desc', 'service-doc', 'conformance', 'data']) linkOf(landing, rel);
    },
    'core/api-definition-op': async () => {
      assert.equal((await follow(linkOf(await json('/ogc'), 'service-desc').href)).status, 200);
    },
    'core/api-definition-success': async () => {
      const { href, type } = linkOf(await json('/ogc'), 'service-desc');
      assert.equal((await follow(href)).headers['content-type'], type);
    },
    'core/conformance-op': async () => assert.equal((await get('/ogc/conformance')).status, 200),
    'core/conformance-success': async () => {
      const { conformsTo } = await json('/ogc/conformance');
      assert.ok(
        conformsTo.every((uri: string) => /^http:\/\/www\.opengis\.net\/spec\/.+\/conf\/.+/.test(uri)),
      );
    },
    'core/crs84': async () => {
      const { extent } = await json(collection);
      assert.ok(positions(await first()).every((one) => isWithin(one, extent.spatial.bbox[0])));
    },
    'core/fc-md-op': async () => assert.equal((await get('/ogc/collections')).status, 200),
    'core/fc-md-success': async () => assert.ok(Array.isArray((await json('/ogc/collections')).collections)),
    'core/fc-md-links': async () => {
      const document = await json('/ogc/collections');
      linkOf(document, 'self', 'application/json');
      linkOf(document, 'alternate', 'text/html');
      for (const { rel, type } of document.links) assert.ok(rel && type);
    },
    'core/fc-md-items': async () => {
      const { collections } = await json('/ogc/collections');
      assert.ok(collections.some((one: Any) => one.id === id) && collections.every((one: Any) => one.links));
    },
    'core/fc-md-items-links': async () => {
      for (const one of (await json('/ogc/collections')).collections) {
        for (const type of [GEOJSON, 'text/html']) linkOf(one, 'items', type);
      }
    },
    'core/fc-md-extent': async () => {
      const [west, south, east, north] = (await json(collection)).extent.spatial.bbox[0];
      assert.ok(west < east && south < north);
    },
    'core/fc-md-extent-multi': async () => {
      const { spatial, temporal } = (await json(collection)).extent;
      assert.deepEqual(
        [spatial.bbox.length, temporal.interval.length, temporal.interval[0].length],
        [1, 1, 2],
      );
    },
    'core/sfc-md-op': async () => assert.equal((await get(collection)).status, 200),
    'core/sfc-md-success': async () => {
      const { collections } = await json('/ogc/collections');
      const { title, description, extent, storageCrs } = collections.find((one: Any) => one.id === id);
      assert.partialDeepStrictEqual(await json(collection), { id, title, description, extent, storageCrs });
    },
    'core/fc-op': async () => assert.equal((await get(items)).status, 200),
    'core/fc-response': async () => assert.equal((await json(items)).type, 'FeatureCollection'),
    'core/fc-limit-definition': () => definedAs('limit', { type: 'integer', minimum: 1, default: 10 }),
    'core/fc-limit-response-1': async () => {
      assert.equal((await features({ limit: '3' })).length, 3);
      assert.ok((await features({ limit: '1000' })).length <= 1_000);
    },
    'core/fc-bbox-definition': () => definedAs('bbox', { type: 'array', items: { type: 'number' } }),
    'core/fc-bbox-response': async () => {
      const feature = await first();
      const bbox = boxOf(feature).join();
      assert.ok((await features({ bbox, limit: '1000' })).some((one) => one.id === feature.id));
      assert.equal((await features({ bbox: '0,0,1,1' })).length, 0);
    },
    'core/fc-time-definition': () => definedAs('datetime', { type: 'string' }),
    'core/fc-time-response': async () => {
      const [[from, to]] = (await json(collection)).extent.temporal.interval;
      assert.ok((await features({ datetime: `${from}/${to}` })).length > 0);
      assert.equal((await features({ datetime: '1900-01-01T00:00:00Z/1901-01-01T00:00:00Z' })).length, 0);
    },
    'core/fc-links': async () => {
      const page = await json(`${items}?limit=2`);
      for (const rel of ['self', 'alternate', 'next']) linkOf(page, rel);
    },
    'core/fc-rel-type': async () => {
      for (const { rel, type } of (await json(`${items}?limit=2`)).links) assert.ok(rel && type, rel);
    },
    'core/fc-timeStamp': async () => {
      // It may be left out.
      const { timeStamp } = await json(items);
      assert.equal(Number.isNaN(Date.parse(timeStamp ?? '2024-04-01T00:00:00Z')), false);
    },
    'core/fc-numberMatched': async () => {
      const { numberMatched, features: all } = await json(`${items}?limit=1000`);
      assert.equal(numberMatched, all.length);
    },
    'core/fc-numberReturned': async () => assert.equal((await json(`${items}?limit=4`)).numberReturned, 4),
    'core/f-op': async () => assert.equal((await get(`${items}/${(await first()).id}`)).status, 200),
    'core/f-success': async () => {
      const feature = await first();
      const { links: _, ...alone } = await json(`${items}/${feature.id}`);
      assert.deepEqual(alone, feature);
    },
    'core/f-links': async () => {
      const alone = await json(`${items}/${(await first()).id}`);
      linkOf(alone, 'self', GEOJSON);
      linkOf(alone, 'alternate', 'text/html');
      assert.equal(linkOf(alone, 'collection').href, `${server().publicUrl}${collection}`);
    },
    'core/query-param-unknown': () => refused(`${items}?no_such_parameter=1`),
    'core/query-param-invalid': () => refused(`${items}?limit=many`),

    'geojson/definition': async () => {
      assert.ok(String((await get(items)).headers['content-type']).startsWith(GEOJSON));
    },
    'geojson/content': async () => {
      const { type, geometry, properties } = await first();
      assert.deepEqual([type, typeof properties], ['Feature', 'object']);
      assert.match(geometry.type, /^(Multi)?Polygon$/);
    },
    'html/definition': async () => {
      for (const path of ['/ogc', '/ogc/conformance', '/ogc/collections', collection, items]) {
        const type = String((await get(path, { accept: 'text/html' })).headers['content-type']);
        assert.match(type, /^text\/html/, path);
      }
    },
    'html/content': async () => {
      const { text } = await get(`${items}?limit=1`, { accept: 'text/html' });
      assert.ok(text.includes((await first()).id) && text.includes('after='));
    },
    'oas30/oas-definition-1': async () => assert.match((await api()).openapi, /^3\.0\./),
    'oas30/oas-definition-2': async () => {
      const { info, paths } = await api();
      assert.ok(info.title && info.version && Object.keys(paths).length > 5);
    },
    'oas30/oas-impl': async () => {
      const values: Record<string, string> = { collectionId: id, featureId: (await first()).id };
      for (const [path, { get: operation }] of Object.entries<Any>((await api()).paths)) {
        if (operation === undefined || !path.startsWith('/ogc')) continue;
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? assert.fail(name));
        assert.equal((await get(filled)).status, 200, filled);
      }
    },
    'oas30/completeness': async () => {
      for (const [path, { get: operation }] of Object.entries<Any>((await api()).paths)) {
        if (path.startsWith('/ogc')) assert.ok('200' in operation.responses, path);
      }
    },
    'oas30/exception-codes': async () => {
      await fails(ITEMS, ['400', '404']);
      await fails(`${ITEMS}/{featureId}`, ['400', '404']);
    },
    'oas30/security': async () => {
      for (const [path, { get: operation }] of Object.entries<Any>((await api()).paths)) {
        if (path.startsWith('/ogc')) assert.ok((operation.security ?? []).length === 0, path);
      }
    },

    'crs/crs-uri': async () => {
      const { crs } = await json(collection);
      assert.ok(
        crs.every((uri: string) => /^http:\/\/www\.opengis\.net\/def\/crs\/[^/]+\/[^/]+\/\w+$/.test(uri)),
      );
    },
    'crs/fc-md-crs-list': async () => assert.ok((await json(collection)).crs.length > 20),
    'crs/fc-md-crs-list-defaultCrs': async () => assert.ok((await json(collection)).crs.includes(CRS84)),
    'crs/fc-md-crs-list-global': async () => {
      const { crs, collections } = await json('/ogc/collections');
      assert.deepEqual(crs, (await json(collection)).crs);
      assert.ok(collections.every((one: Any) => one.crs.includes('#/crs')));
    },
    'crs/fc-md-storageCrs': async () => assert.equal(typeof (await json(collection)).storageCrs, 'string'),
    'crs/fc-md-storageCrs-valid-value': async () => {
      const { crs, storageCrs } = await json(collection);
      assert.ok(crs.includes(storageCrs));
    },
    'crs/fc-crs-definition': () => definedAs('crs', { type: 'string' }),
    'crs/fc-crs-valid-value': async () => {
      for (const crs of (await json(collection)).crs) {
        assert.equal((await get(query({ limit: '1', crs }))).status, 200, crs);
      }
    },
    'crs/fc-crs-default-value': async () => {
      assert.deepEqual(await features({ limit: '1', crs: CRS84 }), await features({ limit: '1' }));
    },
    'crs/fc-crs-action': async () => {
      const { storageCrs: crs } = await json(collection);
      const [[lat, lng]] = positions((await features({ limit: '1', crs }))[0]) as [number[]];
      assert.deepEqual([lng, lat], positions(await first())[0]!.slice(0, 2));
    },
    'crs/crs-exception': () => refused(query({ crs: 'http://www.opengis.net/def/crs/EPSG/0/1' })),
    'crs/fc-bbox-crs-definition': () => definedAs('bbox-crs', { type: 'string' }),
    'crs/fc-bbox-crs-valid-values': async () => {
      for (const crs of (await json(collection)).crs) {
        assert.equal((await get(query({ bbox: '1,1,2,2', 'bbox-crs': crs }))).status, 200, crs);
      }
    },
    'crs/fc-bbox-crs-default-value': async () => {
      const bbox = boxOf(await first()).join();
      assert.deepEqual(await features({ bbox, 'bbox-crs': CRS84 }), await features({ bbox }));
    },
    'crs/fc-bbox-crs-action': async () => {
      const { storageCrs } = await json(collection);
      const [west, south, east, north] = boxOf(await first());
      const turned = await features({ bbox: [south, west, north, east].join(), 'bbox-crs': storageCrs });
      assert.deepEqual(turned, await features({ bbox: [west, south, east, north].join() }));
    },
    'crs/bbox-crs-exception': () => refused(query({ bbox: '1,1,2,2', 'bbox-crs': 'EPSG:1' })),
    'crs/ogc-crs-header': async () => {
      for (const path of [items, `${items}/${(await first()).id}`]) {
        assert.equal((await get(path)).headers['content-crs'], `<${CRS84}>`, path);
      }
    },
    'crs/ogc-crs-header-value': async () => {
      const { storageCrs: crs } = await json(collection);
      assert.equal((await get(query({ limit: '1', crs }))).headers['content-crs'], `<${crs}>`);
    },
    'crs/geojson': async () => {
      // RFC 7946 forbids the member of older GeoJSON; the header says what the numbers are.
      const { storageCrs: crs } = await json(collection);
      assert.equal('crs' in (await json(query({ limit: '1', crs }))), false);
    },

    'queryables/queryables-link': async () => linkOf(await json(collection), QUERYABLES),
    'queryables/get-queryables-op': async () => {
      assert.equal((await follow(linkOf(await json(collection), QUERYABLES).href)).status, 200);
    },
    'queryables/get-queryables-response': async () => {
      const reply = await get(`${collection}/queryables`);
      assert.match(String(reply.headers['content-type']), /^application\/schema\+json/);
      const { $schema, $id, type, properties } = reply.json<Any>();
      assert.deepEqual(
        [$schema, $id, type],
        [
          'https://json-schema.org/draft/2020-12/schema',
          `${server().publicUrl}${collection}/queryables`,
          'object',
        ],
      );
      assert.ok(Object.values<Any>(properties).every((one) => one.type || one.format));
    },
    'queryables/expression-construction': async () => {
      const { properties } = await json(`${collection}/queryables`);
      const names = Object.keys(properties).filter((one) => one !== 'geometry');
      for (const name of names.slice(0, 6)) {
        assert.equal((await get(query({ limit: '1', filter: `"${name}" IS NULL` }))).status, 200, name);
      }
    },
    'queryables-query-parameters/parameters': async () => {
      const usage = (await first()).properties['bldg:usage'];
      const found = await features({ limit: '1000', 'bldg:usage': usage });
      assert.ok(found.length > 0 && found.every((one) => one.properties['bldg:usage'] === usage));
    },
    'filter/filter-param': () => definedAs('filter', { type: 'string' }),
    'filter/filter-lang-param': () => definedAs('filter-lang', { enum: ['cql2-text', 'cql2-json'] }),
    'filter/filter-crs-param': async () => {
      await definedAs('filter-crs', { type: 'string' });
      await refused(query({ filter: 'height > 1', 'filter-crs': 'EPSG:1' }));
    },
    'filter/filter-crs-wgs84': async () => {
      const feature = await first();
      const filter = `S_INTERSECTS(geometry, BBOX(${boxOf(feature).join()}))`;
      const found = await features({ limit: '1000', filter });
      assert.ok(found.some((one) => one.id === feature.id));
      assert.deepEqual(await features({ limit: '1000', filter, 'filter-crs': CRS84 }), found);
    },
    'filter/mixing-expressions': async () => {
      const bbox = boxOf(await first()).join();
      const both = await features({ limit: '1000', bbox, filter: 'height > 10' });
      const high = (await features({ limit: '1000', filter: 'height > 10' })).map((one) => one.id);
      const near = (await features({ limit: '1000', bbox })).map((one) => one.id);
      assert.deepEqual(
        both.map((one) => one.id),
        near.filter((one) => high.includes(one)),
      );
    },
    'filter/expression-construction': () => refused(query({ filter: 'height >' })),
    'filter/response': async () => {
      const found = await features({ limit: '1000', filter: 'height > 10' });
      const all = await features({ limit: '1000' });
      const high = all.filter(({ properties }) => properties.height > 10);
      assert.ok(high.length > 0 && high.length < all.length);
      assert.deepEqual(found, high);
    },
  };
}
