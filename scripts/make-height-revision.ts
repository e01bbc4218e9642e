/**
 * Makes `packages/geo/src/data/jgd2024-minus-jgd2011.revision` from a text of the nodes of `hyokorevBM_jgd2024_h.par`
 * (NOTICE names it), gzip. A line of the text is `i j v0 d1 d2 …`: a run of nodes at latitude i/120 and longitude 100 +
 * (j + k)/80 degrees, the value of node k being v0 + d1 + … + dk in units of 0.00001 m.
 *
 *   node scripts/make-height-revision.ts path/to/jgd2024-minus-jgd2011.txt.gz
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  encodeRevision,
  type RevisionRun,
  revisionGrid,
} from '../packages/geo/src/height-revision-format.ts';

const TARGET = join(import.meta.dirname, '../packages/geo/src/data/jgd2024-minus-jgd2011.revision');
const [PER_DEGREE_NORTH, PER_DEGREE_EAST] = [120, 80];

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('Give the path of the text.');
const runs: RevisionRun[] = [];
for (const line of gunzipSync(readFileSync(source)).toString('latin1').split('\n')) {
  if (line === '' || line.startsWith('#')) continue;
  const [row, column, ...steps] = line.split(' ').map(Number) as [number, number, ...number[]];
  let value = 0;
  const values = Int32Array.from(steps, (step) => {
    value += step;
    return value;
  });
  runs.push({ row, column: 100 * PER_DEGREE_EAST + column, values });
}
const grid = revisionGrid({ perDegreeNorth: PER_DEGREE_NORTH, perDegreeEast: PER_DEGREE_EAST, runs });
writeFileSync(TARGET, encodeRevision(grid));
