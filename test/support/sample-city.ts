/** A server over the sample city, and what tests ask it. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import {
  assertCatalogue,
  assertErrorObject,
  assertFileList,
  type Catalogue,
  type FileListResult,
} from './interface-schemas.ts';
import { removeDirectory, tempDirectory } from './program.ts';
import { type Reply, type RequestOptions, startServer, type TestServer } from './server.ts';
import { ingestSample } from './store.ts';

export const CITY_PACKAGE = '47900_aonagi-shi_city_2024_citygml_1_op';
export const DATASETS = '/datacatalog/citymodel-datasets';
/** Of the file of tests; removed after them. */
export let directory: string;
export let sample: string;
export let server: TestServer;
export let catalogue: Catalogue;

/** Path of the city's package directory. */
export let city: string;

/** The files that meet conditions, held to the schema. */
export async function files(conditions: string): Promise<FileListResult> {
  const result = await server.json<unknown>(`/datacatalog/citygml/${conditions}`);
  assertFileList(result);
  return result;
}

/** An answer that must be an error as the interface describes them. */
export async function refused(path: string, status: number, options: RequestOptions = {}): Promise<Reply> {
  const reply = await server.request(path, options);
  assert.equal(reply.status, status, `${path}: ${reply.text.slice(0, 300)}`);
  assertErrorObject(reply.json());
  assert.equal(reply.headers['access-control-allow-origin'], '*', path);
  assert.match(String(reply.headers['content-type']), /^application\/json/);
  assert.doesNotMatch(reply.text, /\.[jt]s:\d|node_modules|\/tmp\//, 'nothing of the inside');
  return reply;
}

/** Starts the server for the tests of a file, and stops it after them. */
export function useSampleCity(): void {
  before(async () => {
    directory = await tempDirectory();
    const stores = await ingestSample(directory);
    sample = stores.sample;
    server = await startServer(stores.data, { env: { MAX_BODY_BYTES: '2048', MAX_URL_BYTES: '20000' } });
    const document = await server.json<unknown>(DATASETS);
    assertCatalogue(document);
    catalogue = document;
    city = server.pathOf(catalogue.citygml.find(({ id }) => id === '47900')!.url).replace(/\.zip$/, '');
  });

  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });
}
