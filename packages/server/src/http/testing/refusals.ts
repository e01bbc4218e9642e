/** What operations say of requests that they do not take, over the small city of `injectService`. */

const NO_CITYJSON_OF_2 = 'attributes=v2 does not go with f=cityjsonseq, whose names are those of the data.';
const LARGE_BOX =
  '3rd meshes are told of a bbox of at most 1 square degree; ask for 6 digits, or for a smaller box.';
const LONG_TEXT = 'text is longer than 200 characters or has more than 10 words.';
const NO_FEATURE = 'The collection has no feature with this gml:id.';
const NO_ITEM = 'The collection has no item of this id; its link `items` lists those that there are.';

const words = (count: number) => Array(count).fill('a').join('%20');

/** Targets, statuses and reasons. */
export const REFUSED: ReadonlyArray<readonly [target: string, status: number, reason: string]> = [
  ['/datacatalog/datasets?sort=height', 400, 'sort is "height"; accepted are place, type, lod, year, size.'],
  [`/datacatalog/datasets?text=${'x'.repeat(201)}`, 400, LONG_TEXT],
  [`/datacatalog/datasets?text=${words(11)}`, 400, LONG_TEXT],
  ['/datacatalog/coverage?digits=5', 400, 'digits is "5"; accepted are 4, 6, 8.'],
  ['/datacatalog/coverage?digits=8', 400, LARGE_BOX],
  ['/datacatalog/coverage?digits=8&bbox=139,35,140.01,36', 400, LARGE_BOX],
  ['/datacatalog/coverage?digits=8&bbox=139,35,140,36.01', 400, LARGE_BOX],
  [
    '/datacatalog/areas?year=2020',
    400,
    'year has "2020"; areas are filtered by pref_code, city_code, type_en and bbox only.',
  ],
  ['/dcat.jsonld?page=9', 404, 'There are not so many pages; the first names the last.'],
  ['/.well-known/security.txt', 404, 'The operator names no contact (SECURITY_CONTACT).'],
  [
    '/health/ready?for=disk,moon',
    400,
    'for may be catalogue, database, objects, disk, cache, but is "moon".',
  ],
  ...['', '?f=html', '?f=jsonfg', '?f=flatgeobuf', '?f=cityjsonseq'].map(
    (format) => [`/ogc/collections/bldg/items/none${format}`, 404, NO_FEATURE] as const,
  ),
  ['/ogc/collections/bldg/items?f=cityjsonseq&attributes=v2', 400, NO_CITYJSON_OF_2],
  ['/ogc/collections/bldg/items/bldg_a?f=cityjsonseq&attributes=v2', 400, NO_CITYJSON_OF_2],
  [
    '/stac/collections/none',
    404,
    'There is no collection of this id; /stac/collections lists those that there are.',
  ],
  ['/stac/collections/none/items/none', 404, NO_ITEM],
];

/** The same just within their limits. */
export const TAKEN: readonly string[] = [
  `/datacatalog/datasets?text=${'x'.repeat(200)}`,
  `/datacatalog/datasets?text=%20${words(10)}%20%20`,
  '/datacatalog/datasets?text=',
  '/datacatalog/datasets?sort=size',
  '/datacatalog/coverage?digits=8&bbox=139,35,140,36',
  '/datacatalog/coverage?digits=6&bbox=130,30,140,36',
  '/datacatalog/areas?type_en=bldg&year=',
  '/dcat.jsonld?page=1',
  '/health/ready?for=disk,catalogue',
  '/ogc/collections/bldg/items?f=cityjsonseq',
];
