import { type Command, InvalidArgumentError } from 'commander';
import { formatBytes } from '../ingest/progress.ts';
import { DEFAULT_SEED, DEFAULT_SIZE, writeSample } from '../sample/sample.ts';

export function addSample(program: Command): void {
  program
    .command('sample')
    .description('Generate the packages of an invented city. The same seed gives the same packages.')
    .argument('<dir>', 'directory to write to; it is created when it does not exist')
    .option('--size <buildings>', 'number of buildings', wholeFrom(30), DEFAULT_SIZE)
    .option('--seed <n>', 'seed of the generator, a whole number', wholeFrom(0), DEFAULT_SEED)
    .option('--no-tiles', 'only CityGML, of which `convert` makes tiles')
    .action(async (directory: string, options: { size: number; seed: number; tiles: boolean }) => {
      const report = await writeSample(directory, {
        ...options,
        onProgress: ({ file, bytes }) => console.log(`${formatBytes(bytes).padStart(9)}  ${file}`),
      });
      console.log(`${report.files.length} packages, ${formatBytes(report.bytes)}, in ${directory}`);
    });
}

function wholeFrom(low: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < low) {
      throw new InvalidArgumentError(`It must be a whole number from ${low}.`);
    }
    return value;
  };
}
