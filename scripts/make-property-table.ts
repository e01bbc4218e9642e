/**
 * Makes `packages/citygml/src/schema/property-table.tsv`, which the program reads, from the facts of the schemas in
 * `packages/citygml/src/schema/facts`; with `--check` only compares. A new version of i-UR is a line of
 * `packages/citygml/src/xml/iur-versions.ts` and a file of facts: `scripts/facts-of-xsd.ts` writes one from the XSDs.
 *
 * A line of facts is `bldg:Building<TAB>feature`, or owners and what they have: `bldg:Building
 * bldg:BuildingPart<TAB>bldg:class=code bldg:usage=code*`. An asterisk marks what may repeat. The owner `*` stands for
 * any.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { IUR_VERSIONS } from '../packages/citygml/src/xml/iur-versions.ts';

const FACTS = new URL('../packages/citygml/src/schema/facts/', import.meta.url);
const TABLE = new URL('../packages/citygml/src/schema/property-table.tsv', import.meta.url);
const ANY = '*';

/** Versions of i-UR that extend CityGML 3.0. */
const OF_CITYGML3 = IUR_VERSIONS.filter(({ version }) => Number(version) >= 4);

/**
 * The files of facts: of two that differ about a property of one owner, the later one counts. Those of CityGML 3.0 come
 * first, so that what lives on from 2.0 keeps its shape in answers; after them the oldest are first.
 */
const FILES = [
  'citygml-3.0',
  ...OF_CITYGML3.map(({ version }) => `iur-${version}`),
  'gml-3.1',
  'citygml-2.0',
  ...IUR_VERSIONS.filter((one) => !OF_CITYGML3.includes(one)).map(({ version }) => `iur-${version}`),
].filter((file) => existsSync(new URL(`${file}.tsv`, FACTS)));

const features = new Set<string>();
/** property → owner → kind, with an asterisk when it repeats. */
const properties = new Map<string, Map<string, string>>();
for (const file of FILES) readFacts(readFileSync(new URL(`${file}.tsv`, FACTS), 'utf8'), file);

function readFacts(text: string, file: string): void {
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [names, facts] = line.split('\t') as [string, string?];
    if (facts === undefined) throw new Error(`${file}: no tab in "${line}"`);
    for (const owner of names.split(' ')) {
      if (facts === 'feature') features.add(owner);
      else for (const fact of facts.split(' ')) addFact(owner, fact);
    }
  }
}

function addFact(owner: string, fact: string): void {
  const [name, kind] = fact.split('=') as [string, string];
  const byOwner = properties.get(name) ?? new Map<string, string>();
  properties.set(name, byOwner.set(owner, kind));
}

/**
 * The kind that most owners have stands for all, then those that differ. What holds for any owner counts where no owner
 * is known.
 */
function row(name: string, byOwner: Map<string, string>): string {
  const owners = [...byOwner].filter(([owner]) => owner !== ANY);
  if (owners.length === 0) return `${name}\t${byOwner.get(ANY)!}`;
  const counts = Map.groupBy(owners, ([, kind]) => kind);
  const usual = [...counts].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))[0]![0];
  const others = owners.filter(([, kind]) => kind !== usual).sort(([a], [b]) => (a < b ? -1 : 1));
  return [name, usual, ...others.map(([owner, kind]) => `${owner}=${kind}`)].join('\t');
}

const rows = [
  ...[...features].map((name) => `${name}\tfeature`),
  ...[...properties].map(([name, byOwner]) => row(name, byOwner)),
].sort();
const table = `${rows.join('\n')}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(TABLE, 'utf8') !== table) {
    console.error('property-table.tsv is not what the facts say; run: node scripts/make-property-table.ts');
    process.exit(1);
  }
} else {
  writeFileSync(TABLE, table);
  console.log(`${rows.length} rows: ${features.size} feature types, ${properties.size} properties`);
}
