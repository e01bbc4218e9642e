/** The catalogue (operation 3), and the list of areas. */
import { TILE_FORMATS } from '@citymodel/base';
import Type from 'typebox';
import {
  bbox,
  cityCode,
  fileSize,
  integer,
  latest,
  license,
  nullable,
  object,
  prefCode,
  record,
  ref,
  registrationYear,
  text,
  texts,
  typeCode,
  url,
  urlTemplate,
  wardCode,
  year,
} from './common.ts';

const id = text('Stable id, unique in its array.');
const pref = text('Prefecture name.');
const city = text('Municipality name.');
const ward = nullable(Type.String(), 'Ward name; only where data is of one ward.');
const type = text('Japanese name of the feature type.');
const spec = text('Version of the product specification that the source CityGML follows.');
const format = Type.Enum([...TILE_FORMATS]);
const formatVersion = nullable(Type.Enum(['1.0', '1.1']), 'Version of 3D Tiles.');
const lod = Type.String({ pattern: '^\\d$', description: 'LOD.' });
const layers = nullable(Type.Array(Type.String()), 'MVT layer names; null for 3D Tiles.');
const interior = nullable(Type.Boolean(), 'True for indoor models.');
const kana = nullable(Type.String(), 'Name in hiragana; null where unknown.');
const romaji = nullable(Type.String(), 'Name in Latin letters, such as `osaka-shi`; null where unknown.');
const pictureUrl = url('A light picture, 600 by 315 pixels; docs/pictures.md has the others.');
const extent = { bbox };
const place = { pref, pref_code: prefCode, city, city_code: cityCode };
const ofWard = { ward, ward_code: wardCode };

export const Dataset = object(
  {
    id,
    name: text('`{type}（{ward or city}）`, with the name of its part for rivers and zones.'),
    ...place,
    type,
    type_en: typeCode,
    url: urlTemplate('tileset.json of 3D Tiles; for MVT a template with `{z}`, `{x}` and `{y}`.'),
    layers,
    year,
    registration_year: registrationYear,
    spec,
    format,
    lod,
    texture: Type.Boolean({ description: 'True for textured 3D Tiles.' }),
    composite_url: nullable(
      Type.String({ format: 'uri' }),
      'This dataset alone: a composite tileset.json, or TileJSON; null where a spec cannot name it.',
    ),
    file_size: fileSize,
    ...extent,
  },
  { ...ofWard, format_version: formatVersion, interior, license, picture_url: pictureUrl },
  'A tile package of any year.',
);

export const CompositeTileset = object(
  {
    id: text('The spec.'),
    url: url('The composite tileset.json.'),
    area: Type.Enum(['all', 'pref']),
    type,
    type_en: typeCode,
    lod: integer('LOD.'),
    texture: nullable(
      Type.Boolean(),
      'Null: textured preferred, else untextured; true: textured only; false: untextured only.',
    ),
    year: Type.String({ pattern: '^(\\d{4}|latest)$', description: '4-digit year, or `latest`.' }),
    format_version: Type.Enum(['1.0', '1.1']),
    ...extent,
  },
  { pref_code: nullable(prefCode), pref: nullable(pref), interior },
  'A composite of many municipalities.',
);

export const CityGmlRow = object(
  {
    id: text('The municipality code; with `all_years`, `{code}_{year}` for older years.'),
    ...place,
    url: url('The zip.'),
    file_size: fileSize,
    composite_url: nullable(Type.String({ format: 'uri' }), 'A lasting address that redirects to the zip.'),
    feature_types: Type.Array(typeCode),
    year,
    registration_year: registrationYear,
    spec,
    ...extent,
  },
  { ...ofWard, license, quality: ref('PackageQuality'), tables: Type.Array(ref('PackageTable')) },
  'CityGML of a municipality: one zip with all feature types.',
);

export const PackageTable = object(
  {
    type: typeCode,
    parquet_url: url('GeoParquet of all features of the type; answers ranges.'),
    features: integer('Features, one in each row.'),
    file_size: fileSize,
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file.' }),
  },
  {},
  'The features of one type of a package as a GeoParquet file. Absent until it is made.',
);

const qualitySums = {
  spec: integer('Product specification: 4 or 6.'),
  errors: integer('Errors.'),
  warnings: integer('Warnings, which do not decide.'),
  complete: Type.Boolean({ description: 'True when nothing was passed over.' }),
  checkedAt: Type.String({ format: 'date-time', description: 'When the package was inspected.' }),
};
const scope = Type.Enum(['ingestion', 'inspection'], {
  description:
    '`ingestion`: only the checks that need no geometry have looked, while the package was read. `inspection`: all ' +
    'that were asked for. Absent in what earlier versions found.',
});
export const PackageQuality = object(
  qualitySums,
  { scope },
  'What an inspection by the official rules of quality found; absent where there was none.',
);

const bothLanguages = nullable(
  Type.Object({ ja: Type.String(), en: Type.String() }),
  'In Japanese and English; null for a check that this version does not know.',
);

export const QualityReport = object(
  {
    package: text('Name of the package.'),
    quality: nullable(object(qualitySums, { scope }), 'Null for a package that was not inspected.'),
    checks: Type.Array(
      object({
        code: text('Code of the check, such as `L04`.'),
        name: text('Its official name.'),
        severity: Type.Enum(['error', 'warning', 'count']),
        errors: integer('What it found.'),
        left: integer('Findings that are counted and not listed.'),
        title: bothLanguages,
        rule: bothLanguages,
      }),
      { description: 'Every check that concerns the package, also with 0 errors.' },
    ),
    skipped: Type.Array(
      object({
        file: nullable(Type.String(), 'Path of the file; null for the package.'),
        reason: text('Why.'),
        count: integer('How often.'),
      }),
      { description: 'What was not looked at.' },
    ),
    places: Type.Array(
      object({
        position: integer('Order in the report.'),
        code: text('Code of the check.'),
        file: nullable(Type.String(), 'Path of the GML file; null for the package.'),
        id: nullable(Type.String(), 'gml:id.'),
        ref: nullable(Type.String(), 'A second id, or the value that is wrong.'),
        line: nullable(Type.Integer(), 'Line of the feature in its file.'),
        type: nullable(Type.String(), 'Name of the element.'),
        lod: nullable(Type.Integer(), 'LOD.'),
        message: text('What is wrong.'),
        place: nullable(
          Type.Array(Type.Number()),
          'Longitude and latitude in degrees, height in metres as in the file.',
        ),
      }),
      { description: 'A page of places.' },
    ),
    next: nullable(Type.Integer(), '`after` of the next page; null after the last.'),
  },
  {
    plane: integer('EPSG code of the plane in which areas and lengths were measured.'),
    objects: nullable(Type.String(), 'The object list; null when there was none.'),
  },
);

export const LatestDataset = object(
  {
    id,
    name: text('The same as in `Dataset`.'),
    pref,
    pref_code: prefCode,
    type,
    type_en: typeCode,
    url: url('A lasting address of the newest data: composite tileset.json, or TileJSON.'),
    layers,
    year: latest,
    format,
    ...extent,
  },
  {
    city: nullable(city),
    city_code: nullable(cityCode),
    ...ofWard,
    format_version: formatVersion,
    lod: nullable(lod),
    interior,
    texture: nullable(Type.Boolean()),
    license,
  },
  'The newest of each municipality or ward, type, part, LOD, format and texture.',
);

export const LatestCityGml = object(
  {
    id,
    ...place,
    url: url('A lasting address that redirects to the newest zip.'),
    file_size: fileSize,
    feature_types: Type.Array(typeCode),
    year: latest,
    ...extent,
  },
  { ...ofWard, license },
  'The newest CityGML of a municipality.',
);

export const Catalogue = object(
  {},
  {
    datasets: Type.Array(ref('Dataset')),
    composite_tilesets: Type.Array(ref('CompositeTileset')),
    citygml: Type.Array(ref('CityGmlRow')),
    latest_datasets: Type.Array(ref('LatestDataset')),
    latest_citygml: Type.Array(ref('LatestCityGml')),
  },
  'All five arrays, or those that `fields` names.',
);

export const AreaRow = object(
  {
    code: text('2 digits of a prefecture, or 5 of a municipality or ward.'),
    name: text('Name.'),
    kana,
    romaji,
    type: Type.Enum(['prefecture', 'city', 'ward']),
    parent_code: nullable(Type.String(), 'Code of the area around it; null for a prefecture.'),
    bbox,
    feature_types: texts('Codes of the feature types that exist as tiles or in CityGML.'),
    formats: Type.Array(format, { description: 'Formats of tiles.' }),
    years: Type.Array(Type.Integer(), { description: 'Fiscal years of production, newest first.' }),
    datasets: integer('Number of datasets. Formats, LODs and textures of one dataset count once.'),
    citygml: Type.Boolean({ description: 'Whether there is CityGML.' }),
  },
  {},
  'An area with what there is of it and of the areas below it.',
);

export const Areas = object({ areas: Type.Array(ref('AreaRow')) });

export const SummaryCity = object(
  {
    code: cityCode,
    name: text('Name.'),
    kana,
    romaji,
    pref_code: prefCode,
    pref,
    bbox,
    types: texts('Codes of feature types.'),
    formats: texts('Formats of tiles, and `CityGML`.'),
    years: Type.Array(Type.Integer(), { description: 'Fiscal years of production, newest first.' }),
    max_lod: nullable(Type.Integer(), 'Highest LOD of 3D Tiles and CityGML; null where nothing tells.'),
    max_lods: record(Type.Integer(), 'Highest LOD by feature type, of types with 3D Tiles or CityGML.'),
    textured: Type.Boolean({ description: 'Whether there are textured 3D Tiles.' }),
    wards: texts('Codes of wards with packages of their own, or that those of the city cover.'),
    datasets: integer('Number of tile packages.'),
    features: integer('Top-level features of the newest CityGML.'),
    bytes: fileSize,
  },
  {},
  'What there is of a municipality, in short.',
);

export const Summary = object({
  cities: Type.Array(ref('SummaryCity')),
  prefectures: Type.Array(object({ code: prefCode, name: text('Name.'), kana, romaji })),
  totals: object({
    cities: integer('Municipalities that have data.'),
    packages: integer('Packages.'),
    datasets: integer('Tile packages.'),
    features: integer('Top-level features of the newest CityGML of each municipality.'),
    bytes: fileSize,
    newest_year: nullable(Type.Integer(), 'Newest fiscal year of production.'),
    licences: texts('Licences, the most used first.'),
    licence_of_all: nullable(
      Type.String(),
      'The licence that all packages state; null where they differ, or one states none.',
    ),
  }),
});

export const Coverage = object({
  digits: integer('How many digits the mesh codes have.'),
  columns: texts('What the values of a row are.'),
  rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Integer()])), {
    description:
      'One row for each mesh: code, highest LOD, number of feature types, newest year, files, features. With ' +
      '`type_en` the LOD is that of these types.',
  }),
});

export const DatasetPage = object({
  total: integer('How many datasets pass the filters.'),
  offset: integer('How many of them come before the page.'),
  facets: record(
    Type.Array(Type.Array(Type.Union([Type.String(), Type.Integer()]))),
    'By filter: its values, each with how many datasets have it, and the name of an area.',
  ),
  datasets: Type.Array(ref('Dataset')),
});

export const FileCounts = object(
  {
    cities: Type.Array(
      object({
        cityCode,
        cityName: text('Municipality name.'),
        year,
        types: record(
          object({
            files: integer('Files.'),
            features: integer('Top-level features.'),
            bytes: fileSize,
            max_lod: integer('Highest LOD.'),
            zip_bytes: integer('Bytes in the zip of a pack, as an estimate.'),
          }),
          'Feature-type code → sums.',
        ),
      }),
      { description: 'One entry for each package, newest year first.' },
    ),
    meshes: integer(
      '3rd meshes (8 digits) that have files. A file that is named by a larger mesh counts for none.',
    ),
    meshes_km2: Type.Number({ description: 'Square kilometres of these meshes.' }),
  },
  {
    places: Type.Array(
      object({
        name: text('Name, from the largest area down.'),
        codes: texts(
          'Codes of the prefecture, municipality or ward whose files are meant; none where the box says what is meant.',
        ),
        bbox,
      }),
      { description: 'Only for a place name: the places that it stands for.' },
    ),
  },
);
