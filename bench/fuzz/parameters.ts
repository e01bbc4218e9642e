/**
 * Texts of callers through every reader of parameters, in the process itself: each answers or throws a ServiceError.
 */
import assert from 'node:assert/strict';
import { readDecimal } from '../../packages/base/src/numbers.ts';
import { codeSpacePaths } from '../../packages/citygml/src/attributes/code-lists.ts';
import { parseGmlName } from '../../packages/citygml/src/names/gml-name.ts';
import { resolveReferences } from '../../packages/citygml/src/scan/references.ts';
import { isMeshCode, meshBounds } from '../../packages/geo/src/mesh.ts';
import { formatSpatialId, parseSpatialId } from '../../packages/geo/src/spatial-id.ts';
import { ServiceError } from '../../packages/server/src/base/errors.ts';
import { parseJson } from '../../packages/server/src/base/parse-json.ts';
import { AssetUrls, parseAssetPath } from '../../packages/server/src/catalogue/names/asset-urls.ts';
import { townOf } from '../../packages/server/src/catalogue/names/named-places.ts';
import { normalizePlaceName } from '../../packages/server/src/catalogue/names/normalise-place-name.ts';
import { parsePackageName } from '../../packages/server/src/catalogue/names/package-name.ts';
import { parseConditions } from '../../packages/server/src/catalogue/search/conditions.ts';
import { yearsOf } from '../../packages/server/src/catalogue/search/years.ts';
import { parseCityGmlSpec } from '../../packages/server/src/catalogue/specs/citygml-spec.ts';
import { formatMvtSpec, parseMvtSpec } from '../../packages/server/src/catalogue/specs/mvt-spec.ts';
import { formatTilesSpec, parseTilesSpec } from '../../packages/server/src/catalogue/specs/tiles-spec.ts';
import {
  optionalTypes,
  presentationOf,
  requiredIds,
  requiredRegion,
} from '../../packages/server/src/features/feature-query.ts';
import { isFlatJson } from '../../packages/server/src/http/answers/flat-json.ts';
import { readQuery } from '../../packages/server/src/http/describe/query-parameters.ts';
import { CATALOGUE_PARAMETERS } from '../../packages/server/src/http/operations/catalogue.ts';
import { FEATURE_PARAMETERS } from '../../packages/server/src/http/operations/features.ts';
import { schemaImports } from '../../packages/server/src/pack/schema-imports.ts';
import { nameFault, normaliseName } from '../../packages/zip/src/member-name.ts';
import type { OpenKind, Verdict } from './kind.ts';
import { mutateText, NUMBERS } from './mutate.ts';

const LIMITS = { maxBounds: 1_000, maxIds: 20_000 };
const URLS = new AssetUrls({
  publicUrl: 'https://city.example.jp',
  assetUrl: 'https://cms.example.jp/assets',
});
const ASSET =
  'https://cms.example.jp/assets/0a/0a1b2c-0000-8000-8000-000000000000/13101_a-shi_city_2023_citygml_1_op';

/** A reader with texts that it takes. What it throws must be a ServiceError, or a RangeError where `ranges` says so. */
interface Reader {
  seeds: readonly string[];
  read(text: string): unknown;
  ranges?: true;
}

const READERS: readonly Reader[] = [
  {
    seeds: [
      'm:53394509,53394519', 'mm:5339', 's:/16/0/58211/25806,z/1/2/3', 'r:139.7,35.6', 'r:139.7,35.6,139.8,35.7',
      'g:千代田区霞が関1-2-3', '13101,13,27100', 'm%3A53394509', 'g:%E5%8D%83',
    ], // biome-ignore format: a table
    read: (text) => parseConditions(text, LIMITS),
  },
  {
    seeds: ['16/0/58211/25806,16/58211/25806', '/25/3/29805700/13212946'],
    read: (sid) => requiredRegion(readFeatures({ sid }), LIMITS),
  },
  {
    seeds: ['139.7,35.6,139.8,35.7', '-180,-90,180,90'],
    read: (bbox) => requiredRegion(readFeatures({ bbox }), LIMITS),
  },
  {
    seeds: [
      '139.7,35.6,139.8,35.7,139.75,35.8',
      'POLYGON ((139 35, 140 35, 140 36, 139 35), (139.1 35.1, 139.2 35.1, 139.2 35.2, 139.1 35.1))',
      'MULTIPOLYGON (((139 35, 140 35, 140 36, 139 35)), ((1 1, 2 1, 2 2, 1 1)))',
    ],
    read: (polygon) => requiredRegion(readFeatures({ polygon }), LIMITS),
  },
  {
    seeds: ['BLD_0a,bldg_1', 'a'],
    read: (id) => requiredIds(readQuery(FEATURE_PARAMETERS.attributes, { id }), LIMITS),
  },
  { seeds: ['bldg,tran:Road', 'uro:Zone'], read: (type) => optionalTypes(readFeatures({ type })) },
  {
    seeds: ['geojson', 'cityjsonseq', 'json', 'csv'],
    read: (format) => presentationOf(readFeatures({ format, fields: format, flatten: format })),
  },
  { seeds: ['2023', '2020,2023'], read: (year) => yearsOf(readFeatures({ year })) },
  { seeds: ['13,27', '139,35,140,36', 'bldg,tran', 'latest,2023', 'citygml', '1,2'], read: catalogueQuery },
  {
    seeds: [`${ASSET}/udx/bldg/53394509_bldg_6697_op.gml`, `${ASSET}_codelists.zip`, `${ASSET}.zip`],
    read: readUrl,
  },
  { seeds: ['0a/0a1b2c/name/udx/a.gml', '/0a/0a1b2c/name%2Fa'], read: readAssetPath },
  {
    seeds: ['13101_chiyoda-ku_city_2023_citygml_1_op',
      '13100_tokyo_pref_2022_citygml_1_3_op_bldg_3dtiles_13101_a_lod2'],
    read: parsePackageName,
  },
  {
    seeds: ['all-bldg-maxlod2-latest',
      '13101-fld_natl_ara-kawa_l2-gensai-lod1-interior-notexture-2023',
      '13-bldg-lod33-texture-2020'],
    read: (text) => sameAgain(parseTilesSpec(text), formatTilesSpec, parseTilesSpec),
  },
  {
    seeds: ['13101-luse-latest', '13101-luse-2023', '13101-fld_natl_a_l1-lod1-2023'],
    read: (text) => sameAgain(parseMvtSpec(text), formatMvtSpec, parseMvtSpec),
  },
  { seeds: ['13101-2023', '13101-latest', '13-2023'], read: parseCityGmlSpec },
  { seeds: ['53394509', '5339', '533945', '5339450922', '53394509221'], read: readMesh, ranges: true },
  { seeds: ['16/0/58211/25806', '3/1/2'], read: readSpatialId, ranges: true },
  { seeds: ['12', '-3.5e7', '.5', '1.'], read: readNumber },
  { seeds: ['udx/bldg/53394509_bldg_6697_op.gml', 'udx/fld/natl/a_b/53394509_fld_6697_l2_op.gml'], read: parseGmlName },
  {
    seeds: ['東京都千代田区霞が関一丁目2番3号', '大字字上ノ原', 'ﾊﾝｶｸ三番町'],
    read: (text) => [townOf(text), sameText(text)],
  },
  { seeds: ['../../codelists/a.xml', 'http://a/b?c#d', '..\\..\\codelists\\a.xml'], read: references },
  { seeds: ['udx/bldg/a.gml', 'a\\b', './a//b/../c'], read: memberName },
  {
    seeds: ['<xs:import namespace="a" schemaLocation="../b.xsd"/>', "<include schemaLocation='c.xsd'>"],
    read: schemaImports,
  },
  { seeds: ['{"urls":["https://a/b.gml"],"latest":true}', '[[{"a":{}}]]', '{"conditions":"m:5339"}'], read: jsonBody },
]; // biome-ignore format: a table

const TOKENS = [
  ',', '/', ':', '(', ')', '((', '))', '-', '_', ' ', '\t', '\u3000', '\0', '%', '%2F', '%00', '%E5', '%25', '..',
  '../', './', '\\',
  '#', '?', '"', "'", '<', '>', '{', '}', '[', ']', 'm:', 'r:', 's:', 'g:', 'lod', 'latest', '_3dtiles_', 'POLYGON',
  '丁目', '一', 'ヶ', '大字',
  'ﷺ', '\u0301', '\ud800', '💠', 'constructor', '__proto__', ...NUMBERS,
] as const; // biome-ignore format: a table

export const openParameters: OpenKind = async () => ({
  name: 'parameters',
  batch: 2_000,
  run(random, keep) {
    const reader = random.pick(READERS);
    const text = mutateText(random.pick(reader.seeds), random, TOKENS);
    keep(() => JSON.stringify({ reader: READERS.indexOf(reader), text }));
    return expectAnswer(() => reader.read(text), reader.ranges === true);
  },
});

/** Accepted unless the reader throws an error that callers expect. */
function expectAnswer(read: () => unknown, ranges: boolean): Verdict {
  try {
    read();
    return 'accepted';
  } catch (error) {
    if (error instanceof ServiceError) {
      assert.ok(error.status >= 400 && error.status < 500, `status ${error.status}`);
      assert.ok((error.reason?.length ?? 0) < 4_000, 'the reason repeats all that the caller wrote');
      return 'refused';
    }
    if (ranges && error instanceof RangeError && !/call stack|array length|string length/.test(error.message))
      return 'refused';
    throw error;
  }
}

function readFeatures(query: Record<string, string>) {
  return readQuery(FEATURE_PARAMETERS.features, query);
}

function catalogueQuery(text: string): unknown {
  const names = ['pref_code', 'city_code', 'type_en', 'format', 'lod', 'year', 'bbox', 'fields', 'all_years'];
  return readQuery(CATALOGUE_PARAMETERS, { [names[text.length % names.length]!]: text });
}

function readUrl(text: string): unknown {
  const parsed = URLS.parse(text);
  if (parsed?.kind === 'member') safePath(parsed.path);
  return parsed;
}

function readAssetPath(text: string): unknown {
  const parsed = parseAssetPath(text);
  if (parsed?.kind === 'member') safePath(parsed.path);
  return parsed;
}

/** No path of a member leads out of its package. */
function safePath(path: string): void {
  for (const part of path.split('/')) {
    assert.ok(
      part !== '' &&
        part !== '.' &&
        part !== '..' &&
        !part.includes('\\') &&
        ![...part].some((sign) => sign < ' ' || sign === '\x7f'),
      `unsafe: ${path}`,
    );
  }
}

/** What is read and written out is read to the same. */
function sameAgain<T>(read: T, write: (value: T) => string, again: (text: string) => T): T {
  assert.deepEqual(again(write(read)), read);
  return read;
}

function sameText(text: string): string {
  const once = normalizePlaceName(text);
  assert.equal(normalizePlaceName(once), once);
  return once;
}

function readMesh(text: string): unknown {
  assert.equal(typeof isMeshCode(text), 'boolean');
  return meshBounds(text);
}

function readSpatialId(text: string): unknown {
  return sameAgain(parseSpatialId(text), formatSpatialId, parseSpatialId);
}

function readNumber(text: string): number | null {
  const value = readDecimal(text);
  if (value !== null) assert.equal(value, Number(text));
  return value;
}

function references(text: string): unknown {
  const files = { has: (path: string) => path.length % 2 === 0, findLoosely: () => undefined };
  const all = { codeSpaces: [text], images: [text], hrefs: [text], schemas: [text] };
  const { present } = resolveReferences('udx/bldg/a.gml', all, files);
  for (const path of [...present, ...codeSpacePaths('udx/bldg/a.gml', text)]) {
    assert.ok(!path.split('/').includes('..'), `leads out of the package: ${path}`);
  }
  return present;
}

function memberName(text: string): unknown {
  if (nameFault(text) !== null) return null;
  const name = normaliseName(text);
  if (name !== '') safePath(name.replace(/\/$/, '').replaceAll('\\', '_'));
  return name;
}

/** A body that is flat enough is parsed, and nothing else. */
function jsonBody(text: string): unknown {
  if (!isFlatJson(text)) return null;
  try {
    return parseJson(text);
  } catch (error) {
    assert.ok(error instanceof SyntaxError || error instanceof ServiceError, String(error));
    return null;
  }
}
