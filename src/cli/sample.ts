import { type Command, InvalidArgumentError } from 'commander';
import { formatBytes } from '../ingest/progress.ts';
import { DEFAULT_SEED, DEFAULT_SIZE, writeSample } from '../sample/sample.ts';

export function addSample(program: Command): void {
  program
    .command('sample')
    .description(
      'Write the packages of a small invented place into a directory, the same ones for the same seed.',
    )
    .argument('<dir>', 'directory; made when it is not there')
    .option('--size <buildings>', 'number of buildings', wholeFrom(30), DEFAULT_SIZE)
    .option('--seed <n>', 'whole number from which everything follows', wholeFrom(0), DEFAULT_SEED)
    .action(async (directory: string, options: { size: number; seed: number }) => {
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
