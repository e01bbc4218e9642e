import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DEFAULT_SEED, DEFAULT_SIZE, type SampleFile, writeIsland, writeSample } from '@citymodel/sample';
import { type Command, Option } from 'commander';
import { formatBytes } from '../base/progress.ts';
import { readSettings } from '../base/settings.ts';
import { wholeNumber } from './arguments.ts';
import { convertFiles } from './convert.ts';

interface SampleCommandOptions {
  size: number;
  seed: number;
  citygml: string;
  tiles: boolean;
  island?: boolean;
}

export function addSample(program: Command): void {
  program
    .command('sample')
    .description('Generate the packages of an invented city. The same seed gives the same packages.')
    .argument('<dir>', 'directory to write to; it is created when it does not exist')
    .option('--size <buildings>', 'number of buildings', wholeNumber(30), DEFAULT_SIZE)
    .option('--seed <n>', 'seed of the generator, a whole number', wholeNumber(0), DEFAULT_SEED)
    .addOption(
      new Option('--citygml <version>', 'version of CityGML of the newest packages')
        .choices(['2', '3'])
        .default('2'),
    )
    .addOption(
      new Option(
        '--island',
        'the larger city on an island, in two editions, in place of the small ones',
      ).conflicts(['size', 'citygml']),
    )
    .option('--no-tiles', 'only CityGML; `convert` makes tiles of it')
    .action(async (directory: string, { island, ...options }: SampleCommandOptions) => {
      const print = ({ name, bytes }: SampleFile) =>
        console.log(`${formatBytes(bytes).padStart(9)}  ${name}`);
      const files = island
        ? await writeIsland(directory, { seed: options.seed, onFile: print })
        : await writeSample(directory, {
            ...options,
            citygml: options.citygml === '3' ? 3 : 2,
            onFile: print,
          });
      if (options.tiles) {
        const packages = files.map(({ name }) => join(directory, name));
        for (const path of await convertFiles(packages, directory, readSettings(process.env))) {
          const file = { name: basename(path), bytes: (await stat(path)).size };
          print(file);
          files.push(file);
        }
      }
      const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      console.log(`${files.length} packages, ${formatBytes(total)}, in ${directory}`);
    });
}
