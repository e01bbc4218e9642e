import { formatBytes, type Progress } from '../../base/progress.ts';

/** Progress of work on a package as a job tells it. */
export function progressOf({ phase, member, done, total }: Progress) {
  const what = member === null ? '' : ` ${member}`;
  return {
    done,
    total,
    unit: 'bytes',
    text: `${phase}${what}, ${formatBytes(done)} of ${formatBytes(total)}`,
  };
}
