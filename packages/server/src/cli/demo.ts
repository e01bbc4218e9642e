import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { specPath } from '@citymodel/base';
import { writeIsland, writeSample } from '@citymodel/sample';
import { type Command, Option } from 'commander';
import { readSettings, type Settings } from '../base/settings.ts';
import { convertFiles } from './convert.ts';
import { runIngest } from './ingest.ts';
import { runServe } from './serve.ts';

/** Where the demonstration keeps its store, away from a real one. */
const DEMO_DIR = 'data/demo';

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description(
      'Generate the sample city, convert it to tiles, ingest it into a store of its own, and serve it.',
    )
    .option('--small', 'the small sample that tests use, in place of the city on an island')
    .addOption(
      new Option('--citygml <version>', 'version of CityGML of the newest packages; 3 shows the small sample')
        .choices(['2', '3'])
        .default('2'),
    )
    .action(async ({ citygml, small }: { citygml: string; small?: boolean }) => {
      const env = { ...process.env, DATA_DIR: process.env.DATA_DIR || DEMO_DIR };
      const settings = await withKnownPort(env);
      const isSmall = small === true || citygml === '3';
      const sample = join(resolve(settings.DATA_DIR), isSmall ? 'sample' : 'island');
      await mkdir(sample, { recursive: true });
      console.log('Generating the sample city …');
      const files = isSmall
        ? await writeSample(sample, { citygml: citygml === '3' ? 3 : 2 })
        : await writeIsland(sample);
      const packages = files.map(({ name }) => join(sample, name));
      console.log('Converting it to 3D Tiles and vector tiles …');
      const tiles = await convertFiles(packages, sample, settings);
      await runIngest(
        [...packages, ...tiles],
        // The store may hold the sample of another version of the program, which has the same names and revisions.
        { replace: true, dryRun: false, level: 6, json: false, summary: true },
        settings,
      );
      if (process.exitCode === 1) return;
      await runServe({ ...settings, LOG_LEVEL: process.env.LOG_LEVEL ? settings.LOG_LEVEL : 'warn' });
      console.log(`\n${guide(settings.PUBLIC_URL, isSmall ? SMALL_PLACES : ISLAND_PLACES)}`);
    });
}

/**
 * The settings; of `PORT=0` with a port that is free now, because the addresses that the demonstration shows have it in
 * them.
 */
async function withKnownPort(env: NodeJS.ProcessEnv): Promise<Settings> {
  const settings = readSettings(env);
  if (settings.PORT !== 0) return settings;
  const probe = createServer().listen(0, settings.HOST);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return readSettings({ ...env, PORT: String(port) });
}

/** Codes that the guide's commands ask for. */
interface Places {
  city: string;
  mesh: string;
  /** Of a cell with several buildings. */
  spatialId: string;
}

const SMALL_PLACES: Places = { city: '47900', mesh: '38295545', spatialId: '17/112754/55811' };
const ISLAND_PLACES: Places = { city: '47970', mesh: '38296545', spatialId: '17/112754/55780' };

function guide(url: string, { city, mesh, spatialId }: Places): string {
  return `The sample city is served on ${url}: open it in a browser, or in another terminal:

  # the catalogue of one city, and only the rows of its datasets
  curl -s "${url}/datacatalog/citymodel-datasets?city_code=${city}&fields=datasets"

  # one tileset for the buildings of the whole country, newest year, best LOD up to 2
  curl -s "${url}${specPath('3dtiles', 'all-bldg-maxlod2-latest')}"

  # the CityGML files of a mesh, with sizes, features and hashes
  curl -s "${url}/datacatalog/citygml/m:${mesh}?types=bldg"

  # the attributes of every building in a cell of space
  curl -s "${url}/citygml/spatialid_attributes?sid=${spatialId}&type=bldg"

  # the whole city as one zip
  curl -sLO "${url}/datacatalog/citygml/${city}-latest/citygml.zip"

Ctrl+C stops it.`;
}
