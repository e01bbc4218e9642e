/** The three operations over small files whose features, faults and places are known one by one. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MAX_DEPTH, MAX_KEPT } from '@citymodel/citygml';
import { block, cityModel, member, gmlPolygon as polygon } from '@citymodel/citygml/testing';
import { spatialIdOf } from '@citymodel/geo';
import { ServiceError } from '../base/errors.ts';
import type { RawQuery } from '../http/describe/query-parameters.ts';
import type { FeatureAnswer } from './answer.ts';
import { answerOf, bodyOf, type Hosted, host } from './testing/hosted.ts';

const NAHA = '47201_naha-shi_city_2023_citygml_1_op';
const OLD = '47201_naha-shi_city_2020_citygml_1_op';
const URUMA = '47213_uruma-shi_city_2023_citygml_1_op';
const BLDG = 'udx/bldg/39272554_bldg_6697_op.gml';
const TRAN = 'udx/tran/39272554_tran_6697_op.gml';
const BAD = 'udx/bldg/39272564_bldg_6697_op.gml';
const DEEP = 'udx/tran/39272554_tran_6697_op.gml';

/** A building of ten metres, `n` steps north-east of a corner of the mesh; without an id when it is ''. */
const building = (id: string, n: number, more = '', alt: [number, number] = [3, 12]) =>
  member(
    `<bldg:Building${id === '' ? '' : ` gml:id="${id}"`}>${more}<bldg:lod1Solid>` +
      `${block(26.2084 + n * 0.0002, 127.6751 + n * 0.0002, 0.0001, ...alt)}</bldg:lod1Solid></bldg:Building>`,
  );
const measured = (height: number) => `<bldg:measuredHeight uom="m">${height}</bldg:measuredHeight>`;
const road = (id: string, n: number) =>
  member(
    `<tran:Road gml:id="${id}"><tran:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember>${polygon([
      [26.2084 + n * 0.0002, 127.6751, 0],
      [26.2085 + n * 0.0002, 127.6751, 0],
      [26.2085 + n * 0.0002, 127.6752, 0],
    ])}</gml:surfaceMember></gml:MultiSurface></tran:lod1MultiSurface></tran:Road>`,
  );

const PACKAGES: Record<string, Record<string, string>> = {
  [NAHA]: {
    [BLDG]: cityModel(
      [
        building('a', 0, measured(9)),
        building('b', 1, measured(20)),
        building('', 2),
        building('twin', 3, measured(1)),
        building('twin', 4, measured(2)),
        member('<bldg:Building gml:id="nowhere"><bldg:class>1</bldg:class></bldg:Building>'),
      ].join(''),
    ),
    [TRAN]: cityModel(road('r1', 0) + road('r2', 5)),
    'README.md': '# 那覇市\n',
    'udx/bldg/plain.txt': 'no GML',
  },
  [OLD]: {
    [BLDG]: cityModel(building('old', 0)),
    [BAD]: cityModel(`${building('x', 0)}${building('y', 1)}<core:cityObjectMember></core:broken>`),
    [DEEP]: cityModel(
      member(`<tran:Road gml:id="deep">${'<tran:x>'.repeat(300)}${'</tran:x>'.repeat(300)}</tran:Road>`),
    ),
  },
  [URUMA]: {
    [BLDG]: cityModel(
      [
        building('a', 0),
        building('long', 1, `<gml:description>${'long '.repeat((MAX_KEPT + 1000) / 5)}</gml:description>`),
        building('last', 2),
      ].join(''),
    ),
  },
};

let directory: string;
let hosted: Hosted;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-service-'));
  for (const [name, members] of Object.entries(PACKAGES)) {
    for (const [path, content] of Object.entries(members)) {
      await mkdir(dirname(join(directory, name, path)), { recursive: true });
      await writeFile(join(directory, name, path), content);
    }
  }
  hosted = await host(Object.keys(PACKAGES).map((name) => join(directory, name)));
});

after(async () => {
  await hosted?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

type Operation = 'attributes' | 'features' | 'spatialIdAttributes';

interface Asked {
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  json: any;
  answer: FeatureAnswer;
}

/** The parsed answer with what it says beside its body. */
async function ask(operation: Operation, query: RawQuery, service = hosted.service): Promise<Asked> {
  const answer = await answerOf(service, operation, query);
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.pieces) pieces.push(piece);
  return { json: JSON.parse(Buffer.concat(pieces).toString()), answer };
}

async function fails(operation: Operation, query: RawQuery, status: number, error: string, reason: RegExp) {
  await assert.rejects(ask(operation, query), (thrown) => {
    assert.ok(thrown instanceof ServiceError, String(thrown));
    assert.deepEqual([thrown.status, thrown.message], [status, error]);
    assert.match(thrown.reason!, reason);
    return true;
  });
}

const url = (path: string, name = NAHA) => hosted.url(name, path);
const idsIn = (found: Array<Record<string, unknown>>) => found.map((one) => one['gml:id']);
const EVERYWHERE = '0/0/0/0';
/** A cell within a building, or so many steps north and east, with everything above and below it. */
function around(north: number, east = north): string {
  const { z, x, y } = spatialIdOf(127.67515 + east * 0.0002, 26.20845 + north * 0.0002, null, 22);
  return `${z}/${x}/${y}`;
}

describe('attributes by gml:id', () => {
  test('in the order of the ids, all of a name that stands twice, without those that the file lacks', async () => {
    const { json, answer } = await ask('attributes', { url: url(BLDG), id: 'twin,none,b,a,nowhere' });
    assert.deepEqual(idsIn(json), ['twin', 'twin', 'b', 'a', 'nowhere']);
    assert.deepEqual(
      json.map((one: Record<string, unknown>) => one['bldg:measuredHeight']),
      [1, 2, 20, 9, undefined],
    );
    assert.deepEqual(answer.cost, { features: 5, files: 0 });
    assert.deepEqual([...answer.warnings], []);
  });

  test('of the types that are asked for', async () => {
    const of = async (type: string) =>
      idsIn((await ask('attributes', { url: url(BLDG), id: 'a', type })).json);
    assert.deepEqual(await of('bldg'), ['a']);
    assert.deepEqual(await of('bldg:Building'), ['a']);
    assert.deepEqual(await of('bldg:BuildingPart'), []);
    assert.deepEqual(await of('tran'), []);
  });

  test('by so many ids that the index is read as a whole, and more than are read together', async () => {
    const many = Array.from({ length: 700 }, (_, i) => (i === 600 ? 'b' : i === 1 ? 'a' : `none${i}`)).join();
    assert.deepEqual(idsIn((await ask('attributes', { url: url(BLDG), id: many })).json), ['a', 'b']);
  });

  test('URLs that name no hosted GML are refused with what is wrong', async () => {
    const bad = (text: string, error: string, reason: RegExp) =>
      fails('attributes', { url: text, id: 'a' }, 400, error, reason);
    await bad(url('udx/bldg/39272599_bldg_6697_op.gml'), 'cannot fetch', /No hosted file has this URL/);
    await bad('https://cms.example.jp/assets/00/000000-0000/none/a.gml', 'cannot fetch', /No hosted file/);
    await bad('https://cms.example.jp/elsewhere.gml', 'cannot fetch', /No hosted file/);
    await bad(url('README.md'), 'invalid url', /does not name a CityGML file/);
    await bad(hosted.urls.archive(hosted.rows[0]!), 'invalid url', /does not name a CityGML file/);
    await bad('https://other.example/a.gml', 'invalid domain', /host/);
  });

  test('a file with a fault is warned of, and a sound one beside it is not', async () => {
    const { json, answer } = await ask('attributes', { url: url(BAD, OLD), id: 'x,y' });
    assert.deepEqual(idsIn(json), ['x', 'y']);
    assert.deepEqual(
      [...answer.warnings],
      [`${BAD} is not well formed: only what stands before the fault is known`],
    );
    const sound = await ask('attributes', { url: url(BLDG, OLD), id: 'old' });
    assert.deepEqual([idsIn(sound.json), [...sound.answer.warnings]], [['old'], []]);
  });

  test('a feature that nests too deep to be read is left out with a warning', async () => {
    const { json, answer } = await ask('attributes', { url: url(DEEP, OLD), id: 'deep' });
    assert.deepEqual([json, answer.warnings.size, answer.cost.features], [[], 1, 0]);
  });

  test('a feature whose text is too large is an error when it is asked for by its id', async () => {
    await fails(
      'attributes',
      { url: url(BLDG, URUMA), id: 'a,long' },
      413,
      'request too large',
      /"long" is too large to be answered: .*Ask for the others without it/,
    );
  });
});

describe('attributes by gml:id, asked for in several ways', () => {
  const WAYS: RawQuery[] = [
    {},
    { fields: 'bldg:measuredHeight' },
    { where: 'bldg:measuredHeight=8' },
    { flatten: 'true' },
    { attributes: 'v2' },
    { skip_code_list_fetch: 'true' },
    { format: 'geojson' },
    { format: 'geojson', fields: 'bldg:measuredHeight' },
  ];
  let own: Hosted;
  const asked = (way: RawQuery, service: Hosted['service']) =>
    bodyOf(answerOf(service, 'attributes', { url: own.url(NAHA, BLDG), id: 'coded', ...way }));

  before(async () => {
    const root = join(directory, 'coded', NAHA);
    const definition =
      '<gml:Definition><gml:description>住宅</gml:description><gml:name>411</gml:name></gml:Definition>';
    for (const [path, text] of Object.entries({
      [BLDG]: cityModel(
        building(
          'coded',
          0,
          '<con:dateOfConstruction>1999-04-01</con:dateOfConstruction>' +
            `<bldg:usage codeSpace="../../codelists/a.xml">411</bldg:usage>${measured(9)}`,
        ),
        ' xmlns:con="http://www.opengis.net/citygml/construction/3.0"',
      ),
      'codelists/a.xml':
        '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry>' +
        `${definition}</gml:dictionaryEntry></gml:Dictionary>`,
    })) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    own = await host([root]);
  });

  after(() => own?.[Symbol.asyncDispose]());

  test('are as if nothing had been asked before', async () => {
    for (const first of WAYS) {
      const service = own.another({ recordCacheBytes: 1e6 });
      const alone = await asked(first, own.another());
      assert.equal(await asked(first, service), alone);
      for (const second of WAYS) {
        assert.equal(await asked(second, service), await asked(second, own.another()));
      }
      assert.equal(await asked(first, service), alone);
    }
  });

  test('differ, so that one cannot stand for another', async () => {
    const answers = await Promise.all(WAYS.map((way) => asked(way, own.service)));
    assert.equal(new Set(answers).size, WAYS.length);
  });

  test('are left out by conditions on the names and values that they are asked for with', async () => {
    for (const [way, where, isMet] of [
      [{}, 'con:dateOfConstruction=1999-04-01', true],
      [{}, 'bldg:yearOfConstruction=1999', false],
      [{ attributes: 'v2' }, 'bldg:yearOfConstruction=1999', true],
      [{}, 'bldg:usage=住宅', true],
      [{ skip_code_list_fetch: 'true' }, 'bldg:usage=住宅', false],
      [{ skip_code_list_fetch: 'true' }, 'bldg:usage=411', true],
    ] as const) {
      const body = await asked({ ...way, where }, own.another());
      assert.equal(JSON.parse(body).length, isMet ? 1 : 0, `${JSON.stringify(way)} ${where}`);
    }
  });
});

describe('features of a region', () => {
  const list = async (query: RawQuery) => (await ask('features', query)).json.featureIds as string[];

  test(
    'of one file: each gml:id once, also that of features without a place when everything is asked ' + 'for',
    async () => {
      const whole = await ask('features', { url: url(BLDG), sid: EVERYWHERE });
      assert.deepEqual(whole.json, { featureIds: ['a', 'b', 'twin', 'nowhere'] });
      assert.deepEqual(whole.answer.cost, { features: 4, files: 0 });
      const everyOf = (type: string) => list({ url: url(BLDG), sid: EVERYWHERE, type });
      assert.deepEqual(await everyOf('bldg:Building'), ['a', 'b', 'twin', 'nowhere']);
      assert.deepEqual(await everyOf('bldg'), ['a', 'b', 'twin', 'nowhere']);
      assert.deepEqual(await everyOf('tran'), []);
      assert.deepEqual(await list({ url: url(BLDG), bbox: '127,26,128,27' }), ['a', 'b', 'twin']);
      assert.deepEqual(await list({ url: url(BLDG), sid: around(1) }), ['b']);
      assert.deepEqual(await list({ url: url(BLDG), sid: around(2) }), []);
      assert.deepEqual(await list({ url: url(BLDG), sid: `${around(4)},${around(0)}` }), ['a', 'twin']);
    },
  );

  test('of all files: the newest year of each municipality, or those that are asked for', async () => {
    assert.deepEqual(await list({ sid: around(0) }), ['a', 'r1']);
    assert.deepEqual(await list({ sid: around(0), year: '2020' }), ['old', 'x']);
    assert.deepEqual((await list({ sid: around(0), all_years: '' })).sort(), ['a', 'old', 'r1', 'x']);
    assert.deepEqual(await list({ sid: around(0), type: 'tran' }), ['r1']);
    assert.deepEqual(await list({ sid: EVERYWHERE, city_code: '47213' }), ['a', 'long', 'last']);
    await fails('features', { sid: EVERYWHERE, city_code: 'うるま' }, 400, 'invalid parameter', /city_code/);
    assert.deepEqual(await list({ sid: '22/0/0' }), []);
    // Beyond the last building: of all files the one that may have something there is opened.
    const beyond = await ask('features', { sid: around(5, 0) });
    assert.deepEqual([beyond.json.featureIds, beyond.answer.cost], [['r2'], { features: 1, files: 1 }]);
    const everything = await ask('features', { sid: EVERYWHERE });
    assert.deepEqual(everything.json.featureIds, ['a', 'b', 'twin', 'nowhere', 'r1', 'r2', 'long', 'last']);
    assert.deepEqual(everything.answer.cost, { features: 8, files: 3 });
  });

  test('with a condition on attributes', async () => {
    const where = 'bldg:measuredHeight > 8';
    assert.deepEqual(await list({ url: url(BLDG), sid: EVERYWHERE, where }), ['a', 'b']);
    assert.deepEqual(await list({ sid: EVERYWHERE, where }), ['a', 'b']);
    assert.deepEqual(await list({ url: url(BLDG), sid: around(1), where }), ['b']);
  });

  test('as features in another format, with their altitudes or without geometry where it is too large', async () => {
    const collection = (await ask('features', { url: url(BLDG), sid: EVERYWHERE, format: 'geojson' })).json;
    assert.deepEqual(
      collection.features.map((one: { id: string }) => one.id),
      ['a', 'b', undefined, 'twin', 'twin', 'nowhere'],
    );
    assert.deepEqual(
      (await ask('features', { url: url(BLDG), sid: EVERYWHERE, format: 'geojson', type: 'tran' })).json
        .features,
      [],
    );
    assert.deepEqual(
      (await ask('features', { sid: around(1), format: 'geojson' })).json.features.map(
        (one: { id: string }) => one.id,
      ),
      ['b', 'long'],
    );
    const limits = {
      maxBounds: 1_000,
      maxIds: 1_000,
      maxGeometryBytes: 100,
      maxItems: 1e8,
      maxReadBytes: 1e9,
    };
    const small = await ask(
      'features',
      { url: url(BLDG), sid: around(0), format: 'geojson' },
      hosted.another({ limits }),
    );
    assert.equal(small.json.features[0].geometry, null);
    assert.deepEqual(
      [...small.answer.warnings],
      [`${BLDG} has features of more than 100 bytes: their geometry is left out`],
    );
  });
});

describe('attributes in a region', () => {
  const query = (sid: string, type: string, more: RawQuery = {}): RawQuery => ({ sid, type, ...more });

  test('each gml:id once, of the types asked for, with what was read', async () => {
    const { json, answer } = await ask('spatialIdAttributes', query(`${around(0)},${around(1)}`, 'bldg'));
    assert.deepEqual(idsIn(json), ['a', 'b']);
    assert.deepEqual(answer.cost, { features: 2, files: 2 });
    const both = await ask('spatialIdAttributes', query(around(0), 'bldg,tran'));
    assert.deepEqual(idsIn(both.json), ['a', 'r1']);
    const old = await ask('spatialIdAttributes', query(around(1), 'bldg', { year: '2020' }));
    assert.deepEqual(idsIn(old.json), ['y']);
    assert.deepEqual(
      [...old.answer.warnings],
      [`${BAD} is not well formed: only what stands before the fault is known`],
    );
  });

  test('a feature whose text is too large is left out with a warning', async () => {
    const { json, answer } = await ask('spatialIdAttributes', query(EVERYWHERE, 'bldg', { year: '2023' }));
    assert.deepEqual(idsIn(json), ['a', 'b', undefined, 'twin', 'nowhere', 'last']);
    assert.deepEqual(
      [...answer.warnings],
      [`${BLDG} has features that are left out: their text without geometry has more than ${MAX_KEPT} bytes`],
    );
  });

  test('a feature whose elements nest too deep is left out with a warning that says so', async () => {
    const root = join(directory, 'deep', URUMA);
    await mkdir(join(root, dirname(BLDG)), { recursive: true });
    const nested = `${'<gml:description>'.repeat(MAX_DEPTH)}${'</gml:description>'.repeat(MAX_DEPTH)}`;
    await writeFile(join(root, BLDG), cityModel(`${building('deep', 0, nested)}${building('good', 1)}`));
    await using own = await host([root]);
    const { json, answer } = await ask('spatialIdAttributes', query(EVERYWHERE, 'bldg'), own.service);
    assert.deepEqual(idsIn(json), ['good']);
    assert.deepEqual(
      [...answer.warnings],
      [`${BLDG} has features that are left out: their elements nest deeper than ${MAX_DEPTH}`],
    );
  });

  test('nothing there is told apart: no features, no files of the type, no files', async () => {
    await fails(
      'spatialIdAttributes',
      query(around(0, 3), 'bldg'),
      404,
      'no features found',
      /No feature of the given types/,
    );
    // No road is near, but the mesh of their file is there.
    await fails('spatialIdAttributes', query(around(1, 4), 'tran'), 404, 'no features found', /No feature/);
    await fails(
      'spatialIdAttributes',
      query(around(0), 'wtr'),
      404,
      'no citygml files for the given types',
      /none of the given types/,
    );
    await fails(
      'spatialIdAttributes',
      query('22/0/0', 'bldg'),
      404,
      'not found',
      /No hosted CityGML file lies there/,
    );
  });
});

describe('what a request is charged', () => {
  /** The fewest entries that a request must be allowed to look at. */
  async function least(operation: Operation, query: RawQuery): Promise<number> {
    for (let maxItems = 0; ; maxItems++) {
      const limits = { maxBounds: 10, maxIds: 10, maxGeometryBytes: 1e6, maxItems, maxReadBytes: 1e9 };
      try {
        await ask(operation, query, hosted.another({ limits }));
        return maxItems;
      } catch (error) {
        if (!(error instanceof ServiceError && error.message === 'request too large')) throw error;
      }
    }
  }

  test('by ids: each id, and each feature that has it', async () => {
    assert.equal(await least('attributes', { url: url(BLDG), id: 'none' }), 1);
    assert.equal(await least('attributes', { url: url(BLDG), id: 'a,none,b' }), 5);
    assert.equal(await least('attributes', { url: url(BLDG), id: 'twin' }), 3);
  });

  test('in a region: each package, each of its files, each file that is searched, and each feature near', async () => {
    // Three packages, the one road file of that year twice, and the road that lies there.
    const query = { sid: around(0), type: 'tran', year: '2023' };
    assert.equal(await least('features', query), 6);
    assert.equal(await least('spatialIdAttributes', query), 6);
    assert.equal(await least('features', { url: url(TRAN), sid: around(0) }), 1);
    assert.equal(await least('features', { url: url(TRAN), sid: EVERYWHERE }), 2);
  });
});

test('the fast way of inflating is there', () => {
  assert.equal(hosted.service.inflatesFast, true);
});
