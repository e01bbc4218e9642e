/** A client that a common generator makes from the description compiles, and works. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { generateApi } from 'swagger-typescript-api';
import { LANDMARKS } from '../packages/sample/src/facts.ts';
import { compileAndImport } from './support/compile.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: results of the program
type Answer = any;

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  server = await startServer(data, { reachable: true });
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

/** A program over the generated client; wrong names and types in it do not compile. */
const PROGRAM = `
import { Api } from './client.js';

export async function run(baseUrl: string, id: string) {
  const api = new Api({ baseUrl });
  const { data: areas } = await api.datacatalog.getAreas({ type_en: ['urf'] });
  const codes: string[] = areas.areas.map(({ code }) => code);
  const { data: catalogue } = await api.datacatalog.getCatalogue({ city_code: ['47900'], fields: ['datasets'] });
  const year: number = catalogue.datasets![0]!.year;
  const { data: tileset } = await api.datacatalog.getTileset('47900-bldg-maxlod2-latest');
  const children: number = tileset.root.children!.length;
  const { data: files } = await api.datacatalog.findFiles('m:38295545', { types: ['bldg'] });
  const url: string = files.cities.flatMap((city) => city.files.bldg ?? []).find((file) => \
file.url.includes('47900_'))!.url;
  const { data: features } = await api.citygml.getAttributes({ url, id: [id] });
  const centre: number = features[0]!._bbox!.center.lng;
  const { data: pack } = await api.citygml.postPack({ urls: [url] });
  const { data: status } = await api.citygml.getPackStatus(pack.id, { wait: 30 });
  const state: 'accepted' | 'processing' | 'succeeded' | 'failed' = status.status;
  const { data: graphql } = await api.datacatalog.postGraphql({ query: '{years}' });
  let refused = '';
  try {
    await api.datacatalog.getTileset('x');
  } catch (error) {
    refused = (error as { error: { error: string } }).error.error;
  }
  return { codes, year, children, centre, id: features[0]!['gml:id'], state, graphql, refused };
}
`;

describe('a generated client', () => {
  for (const path of ['/openapi.json', '/openapi-3.0.json']) {
    it(`of ${path}`, async () => {
      const spec = await server.json<Answer>(path);
      const { files } = await generateApi({
        spec,
        output: false,
        fileName: 'client.ts',
        httpClientType: 'fetch',
        silent: true,
        generateUnionEnums: true,
      });
      const { run } = await compileAndImport<{ run(url: string, id: string): Promise<Answer> }>(
        join(directory, path.replace(/\\W/g, '')),
        { 'client.ts': files[0]!.fileContent, 'program.ts': PROGRAM },
        'program.js',
      );
      const result = await run(server.publicUrl, LANDMARKS.terminal.id);
      assert.deepEqual(result.codes, ['47', '47900']);
      assert.equal(result.year, 2024);
      assert.equal(result.children, 2);
      assert.equal(result.id, LANDMARKS.terminal.id);
      assert.ok(Math.abs(result.centre - LANDMARKS.terminal.lng) < 0.001);
      assert.equal(result.state, 'succeeded');
      assert.deepEqual(result.graphql, { data: { years: [2024, 2023] } });
      assert.equal(result.refused, 'invalid spec');
    });
  }
});
