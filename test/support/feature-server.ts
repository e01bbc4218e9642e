/** A server over the sample city, and questions about its features. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { formatSpatialId, spatialIdOf } from '../../packages/geo/src/spatial-id.ts';
import { LANDMARKS, type Landmark, SAMPLE_CITY, SAMPLE_TOWN } from '../../packages/sample/src/facts.ts';
import { assertAttributes, assertFeatureIds, type FeatureAttributes } from './feature-schemas.ts';
import { removeDirectory, tempDirectory } from './program.ts';
import { type Reply, startServer, type TestServer } from './server.ts';
import { ingestSample } from './store.ts';

export const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
export const TOWN = '47950_shiomino-shi_city_2024_citygml_1_op';
export const { cityHall, tower, parking, complex, terminal } = LANDMARKS;
/** Of the file of tests; removed after them. */
export let directory: string;
export let data: string;
export let server: TestServer;

/** Path in a package → URL. */
export const urls = new Map<string, string>();

export type Query = Record<string, string>;

export const queryOf = (query: Query) => new URLSearchParams(query).toString();

/** What an operation of features answers. */
export function request(operation: string, query: Query): Promise<Reply> {
  return server.request(`/citygml/${operation}?${queryOf(query)}`);
}

/** Operation 11, held to the schema. */
export async function attributes(query: Query): Promise<FeatureAttributes[]> {
  const value = await server.json<unknown>(`/citygml/attributes?${queryOf(query)}`);
  assertAttributes(value);
  return value;
}

/** Operation 12, held to the schema. */
export async function ids(query: Query): Promise<string[]> {
  const value = await server.json<unknown>(`/citygml/features?${queryOf(query)}`);
  assertFeatureIds(value);
  return value.featureIds;
}

function urlOf(path: string, name = CITY): string {
  const url = urls.get(`${name}/${path}`);
  assert.ok(url !== undefined, path);
  return url;
}

/** The URL of the file with a building. */
export const bldg = (landmark: Landmark, name = CITY) =>
  urlOf(`udx/bldg/${landmark.mesh}_bldg_6697_op.gml`, name);

/** The z18 cell of a landmark's point, at an altitude or at all. */
export const cell = ({ lng, lat }: Landmark, alt: number | null = null, z = 18) =>
  formatSpatialId(spatialIdOf(lng, lat, alt, z));

/** Starts the server for the tests of a file, and stops it after them. */
export function useFeatureServer(): void {
  before(async () => {
    directory = await tempDirectory();
    ({ data } = await ingestSample(directory));
    server = await startServer(data, { env: { MAX_BOUNDS: '50', FEATURE_MAX_IDS: '10000' } });
    for (const [code, name] of [
      [SAMPLE_CITY.code, CITY],
      [SAMPLE_TOWN.code, TOWN],
    ] as const) {
      const { cities } = await server.json<{
        cities: Array<{ files: Record<string, Array<{ url: string }>> }>;
      }>(`/datacatalog/citygml/${code}`);
      for (const { url } of cities.flatMap(({ files }) => Object.values(files).flat())) {
        urls.set(url.slice(url.indexOf(name)), url);
      }
    }
  });

  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });
}
