/**
 * Prints what the XSDs of a version of i-UR say as facts for `packages/citygml/src/schema/facts`: `node
 * scripts/facts-of-xsd.ts urbanObject.xsd urbanFunction.xsd > packages/citygml/src/schema/facts/iur-2.0.tsv`.
 * `make-property-table.ts` describes the form.
 */
import { readFileSync } from 'node:fs';
import { factsOfXsds } from '../packages/citygml/src/testing/facts-of-xsds.ts';

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node scripts/facts-of-xsd.ts FILE.xsd…');
  process.exit(2);
}
const { features, groups } = factsOfXsds(files.map((file) => readFileSync(file, 'utf8')));
for (const name of features) console.log(`${name}\tfeature`);
for (const [owners, facts] of groups) console.log(`${owners}\t${facts.join(' ')}`);
