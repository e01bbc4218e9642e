/** Tools over CityGML: files by condition, attributes, features, packs, heights. */
import { z } from 'zod';
import { askEntries, askJson, ToolError } from './ask.ts';
import { cut, metadataOf } from './cut.ts';
import { SPATIAL_IDS } from './spatial-id-text.ts';
import { queryOf, type Tool, texts, tool } from './tool.ts';

const MAX_FILES = 300;
const MAX_FEATURES = 200;
const MAX_IDS = 2_000;
const MAX_DIFFERENCES = 100;
const MAX_GROUPS = 300;

const gmlUrl = z
  .string()
  .max(2_000)
  .describe('URL of a CityGML file, as plateau_get_citygml_files gives it.');
const spatialIds = z
  .array(z.string().max(60))
  .min(1)
  .max(1_000)
  .describe('Spatial IDs, such as 18/232853/103220; see plateau_explain_spatial_id.');
const version2 = z
  .enum(['v2'])
  .optional()
  .describe('v2: attributes of CityGML 3.0 under the names of 2.0, also in conditions.');
const skipCodes = z.boolean().optional().describe('Raw codes in place of their meaning.');

/** Lists and objects around a file in the answer of the file search: the answer, `files`, and the list of a type. */
const FILES_AT = 3;
/** Around a feature: the list alone. */
const FEATURES_AT = 1;
/** Around a gml:id: the answer and `featureIds`. */
const IDS_AT = 2;

interface FileList {
  files: Record<string, object[]>;
  /** Missing when the list was cut before. */
  cities?: Array<{ files: Record<string, object[]> } & Record<string, unknown>>;
}

interface Changes {
  state: 'comparing' | 'compared';
  from: object;
  to: object;
  progress: object | null;
  differences: object[];
  next: number | null;
}

interface FileCounts {
  cities: Array<{ types: Record<string, { files: number }> }>;
}

export const CITYGML_TOOLS: readonly Tool[] = [
  tool({
    name: 'plateau_get_citygml_files',
    title: 'CityGML files by condition',
    description:
      'Finds CityGML files. Conditions: m:<mesh codes>, mm:<exact mesh codes>, s:<spatial IDs>, r:<lng,lat> or ' +
      'r:<west,south,east,north>, g:<place name>, or municipality codes.',
    parameters: {
      condition: z.string().min(1).max(20_000).describe('Such as m:53394509, r:139.76,35.68 or 13101.'),
      feature_types: texts('Only files of these types, such as bldg.', 50),
    },
    async run({ condition, feature_types }, { ask, signal }) {
      const what = `${encodeURIComponent(condition)}${queryOf({ types: feature_types })}`;
      const { json, isCut } = await askEntries(ask, `/datacatalog/citygml/${what}`, {
        signal,
        entriesAt: FILES_AT,
      });
      const list = json as FileList;
      // Files first in the order of the answer; what does not fit is left out of every list alike.
      const all = Object.entries(list.files).flatMap(([type, files]) =>
        files.map((file) => ({ type, file })),
      );
      const total = isCut
        ? filesIn((await askJson(ask, `/datacatalog/counts/${what}`, { signal })) as FileCounts)
        : all.length;
      const shown = cut(all, MAX_FILES, total);
      const files = new Set(shown.items.map(({ file }) => urlOf(file)));
      const cities = list.cities
        ?.map((city) => ({ ...city, files: onlyOf(city.files, files) }))
        .filter((city) => Object.keys(city.files).length > 0);
      return {
        ...list,
        files: onlyOf(list.files, files),
        ...(cities !== undefined && { cities }),
        metadata: metadataOf(shown, ['Give feature_types.', 'Use a smaller mesh code or box.']),
      };
    },
  }),
  tool({
    name: 'plateau_citygml_get_attributes',
    title: 'Attributes by gml:id',
    description: 'Attributes of features of one CityGML file, by their gml:ids.',
    parameters: {
      url: gmlUrl,
      building_ids: z.array(z.string().max(200)).min(1).max(5_000).describe('gml:ids of the features.'),
      skip_code_list: skipCodes,
      attributes: version2,
    },
    async run({ url, building_ids, skip_code_list, attributes }, { ask, signal }) {
      const query = queryOf({ url, id: building_ids, skip_code_list_fetch: skip_code_list, attributes });
      const options = { signal, entriesAt: FEATURES_AT };
      return features(
        await askEntries(ask, `/citygml/attributes${query}`, options),
        'Ask for fewer ids at once.',
      );
    },
  }),
  tool({
    name: 'plateau_citygml_get_features',
    title: 'Features in spatial IDs',
    description: 'gml:ids of the features of one CityGML file that lie in spatial IDs.',
    parameters: { url: gmlUrl, spatial_ids: spatialIds },
    async run({ url, spatial_ids }, { ask, signal }) {
      const query = queryOf({ url, sid: spatial_ids });
      const options = { signal, entriesAt: IDS_AT };
      const { json, isCut } = await askEntries(ask, `/citygml/features${query}`, options);
      const { featureIds } = json as { featureIds: string[] };
      if (featureIds.length === 0) {
        return {
          feature_ids: [],
          reason: 'NO_FEATURES_IN_AREA',
          hint: {
            message:
              'No feature of this file lies in these cells. Try larger cells, or the file of another mesh.',
            recommended_zoom: [17, 18, 19],
          },
        };
      }
      const shown = cut(featureIds, MAX_IDS, isCut ? null : featureIds.length);
      return { feature_ids: shown.items, metadata: metadataOf(shown, ['Use smaller spatial IDs.']) };
    },
  }),
  tool({
    name: 'plateau_spatialid_attributes',
    title: 'Attributes in spatial IDs',
    description: 'Attributes of all features of some types in spatial IDs, whatever file they are in.',
    parameters: {
      spatial_ids: spatialIds,
      types: z.array(z.string().max(60)).min(1).max(50).describe('Feature types, such as bldg.'),
      skip_code_list: skipCodes,
      attributes: version2,
    },
    async run({ spatial_ids, types, skip_code_list, attributes }, { ask, signal }) {
      const query = queryOf({
        sid: spatial_ids,
        type: types,
        skip_code_list_fetch: skip_code_list,
        attributes,
      });
      const options = { signal, entriesAt: FEATURES_AT };
      return features(
        await askEntries(ask, `/citygml/spatialid_attributes${query}`, options),
        'Use smaller spatial IDs, such as zoom 19 or 20.',
      );
    },
  }),
  tool({
    name: 'plateau_citygml_compare_editions',
    title: 'What two years differ in',
    description:
      'What became of the features of a municipality between two years: sums, and the first features that were ' +
      'added, removed or changed, with attributes and sizes before and after.',
    parameters: {
      area: z.string().max(10).describe('Code of a municipality, ward or prefecture.'),
      type: z.string().max(20).optional().describe('Feature type, such as bldg, which is the default.'),
      from: z.number().int().min(1900).max(2999).optional().describe('Year of the older edition.'),
      to: z.number().int().min(1900).max(2999).optional().describe('Year of the newer edition.'),
      change: z.enum(['added', 'removed', 'changed']).optional().describe('Only these features.'),
      bbox: z
        .array(z.number())
        .length(4)
        .optional()
        .describe('Only there: west, south, east, north, degrees.'),
    },
    async run({ area, type, from, to, change, bbox }, { ask, signal }) {
      const query = queryOf({
        city_code: area,
        type,
        from: from?.toString(),
        to: to?.toString(),
        change,
        bbox: bbox?.map(String),
        limit: String(MAX_DIFFERENCES),
      });
      const answer = (await askJson(ask, `/citygml/changes${query}`, { signal })) as Changes;
      if (answer.state === 'comparing') {
        const { progress, from: older, to: newer } = answer;
        return { state: 'comparing', from: older, to: newer, progress, hint: 'Ask again in a few seconds.' };
      }
      const { differences, next, ...about } = answer;
      // Corners of footprints fill an answer and tell an assistant nothing.
      const compact = differences.map(({ outline: _, ...rest }: { outline?: unknown }) => rest);
      const shown = cut(compact, MAX_DIFFERENCES, next === null ? differences.length : null);
      return {
        ...about,
        differences: shown.items,
        metadata: metadataOf(shown, ['Give change, or a smaller bbox.']),
      };
    },
  }),
  tool({
    name: 'plateau_citygml_get_geoid_height',
    title: 'Height of the geoid',
    description:
      'What to add to an elevation in Japan to get the height above the ellipsoid, metres, the datum of the ' +
      'elevation, and the model.',
    parameters: {
      latitude: z.number().min(-90).max(90).describe('Degrees.'),
      longitude: z.number().min(-180).max(180).describe('Degrees.'),
      datum: z
        .enum(['jgd2011', 'jgd2024'])
        .optional()
        .describe('Vertical datum of the elevation: jgd2011 unless given; jgd2024 since April 2025.'),
    },
    async run({ latitude, longitude, datum }, { ask, signal }) {
      const place = { lat: String(latitude), lng: String(longitude) };
      const query = queryOf(datum === undefined ? place : { ...place, datum });
      const found = (await askJson(ask, `/citygml/geoid_height${query}`, { signal })) as {
        geoid_height: number;
        geoid: string;
        datum: string;
        model: string;
      };
      const { geoid_height, geoid, model } = found;
      return { latitude, longitude, geoid_height, geoid, datum: found.datum, model };
    },
  }),
  tool({
    name: 'plateau_citygml_statistics',
    title: 'Counts and sums of features',
    description:
      'Counts features of an area in groups, with sum, least, most and mean of numbers, such as buildings by use and ' +
      'their heights.',
    parameters: {
      area: z.string().max(10).describe('Municipality or ward (5 digits), prefecture (2 digits), or all.'),
      feature_types: z.array(z.string().max(200)).min(1).max(50).describe('Such as bldg.'),
      by: texts('Attributes to group by, such as bldg:usage; also _municipality and _prefecture.', 4),
      step: texts('For each of by, how wide classes of numbers are, such as 5; 0 for none.', 4),
      of: texts('Attributes whose numbers are added up, such as bldg:measuredHeight.', 8),
      where: z
        .string()
        .max(2_000)
        .optional()
        .describe('Conditions, such as bldg:yearOfConstruction<1981;bldg:measuredHeight>=31.'),
      attributes: version2,
    },
    async run({ area, feature_types, by, step, of, where, attributes }, { ask, signal }) {
      const query = queryOf({ area, type: feature_types, by, step, of, where, attributes });
      const answer = (await askJson(ask, `/citygml/statistics${query}`, { signal })) as { groups: object[] };
      const shown = cut(answer.groups, MAX_GROUPS, answer.groups.length);
      const metadata = metadataOf(shown, ['Group by attributes with fewer values, or add conditions.']);
      return { ...answer, groups: shown.items, metadata };
    },
  }),
  tool({
    name: 'plateau_explain_spatial_id',
    title: 'How spatial IDs work',
    description: 'Explains spatial IDs: their parts, their sizes, and which zoom to use.',
    parameters: {},
    async run() {
      return { text: SPATIAL_IDS };
    },
  }),
  tool({
    name: 'plateau_pack',
    title: 'Ask for a zip',
    description: 'Asks for one zip of CityGML files with their textures and code lists. Gives an id to poll.',
    parameters: {
      urls: z.array(z.string().max(2_000)).min(1).max(1_000).describe('URLs of CityGML files.'),
    },
    async run({ urls }, { ask, signal }) {
      return (await askJson(ask, '/citygml/pack', { body: { urls }, signal })) as Record<string, unknown>;
    },
  }),
  tool({
    name: 'plateau_pack_status',
    title: 'State of a zip',
    description: 'State of a zip that plateau_pack asked for, and its URL when it is ready.',
    parameters: { id: z.string().max(100).describe('The id that plateau_pack gave.') },
    async run({ id }, { ask, publicUrl, signal }) {
      const path = `/citygml/pack/${encodeURIComponent(id)}`;
      const state = (await askJson(ask, `${path}/status`, { signal })) as { status: string };
      return state.status === 'succeeded' ? { ...state, url: `${publicUrl}${path}.zip` } : { ...state };
    },
  }),
];

function features(
  { json, isCut }: { json: unknown; isCut: boolean },
  narrower: string,
): Record<string, unknown> {
  if (!Array.isArray(json)) throw new ToolError('The service gave no list of features.');
  const shown = cut(json, MAX_FEATURES, isCut ? null : json.length);
  return { attributes: shown.items, metadata: metadataOf(shown, [narrower]) };
}

function filesIn({ cities }: FileCounts): number {
  return cities.flatMap(({ types }) => Object.values(types)).reduce((sum, { files }) => sum + files, 0);
}

function onlyOf(files: Record<string, object[]>, shown: ReadonlySet<string>): Record<string, object[]> {
  const lists = Object.entries(files).map(([type, list]) => [
    type,
    list.filter((file) => shown.has(urlOf(file))),
  ]);
  return Object.fromEntries(lists.filter(([, list]) => list!.length > 0)) as Record<string, object[]>;
}

function urlOf(file: object): string {
  return (file as { url: string }).url;
}
