/** Small CityGML files from which mutation of conversions starts, with the images and code lists that they refer to. */
import { globSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { unzip } from '../../packages/citygml/src/testing/published.ts';
import { seedPackages } from './seeds.ts';

export interface ConversionSeed {
  /** Name of the package. */
  package: string;
  /** Of the GML file in the package. */
  path: string;
  /** The file itself, and others beside it. */
  members: Map<string, Buffer>;
}

const REAL = join(import.meta.dirname, '../../../shared/data');
/** Features of a seed, and characters of its text: with more of them mutation hits the same text again and again. */
const FEATURES = 2;
const LONGEST = 40_000;
/** Seeds of one file. */
const TEXTS = 5;
/** Seeds of one type in a package. */
const PER_TYPE = 6;
/** Bytes of a member that seeds take along. */
const MOST_MEMBER = 60_000;
const MEMBER = /<(core:cityObjectMember|gml:featureMember|cityObjectMember)>[\s\S]*?<\/\1>/g;
const TRIANGLE = /<gml:Triangle>[\s\S]*?<\/gml:Triangle>\s*/g;
/** Triangles of a feature. */
const TRIANGLES = 12;
const SURFACE_DATA = /<app:surfaceDataMember>[\s\S]*?<\/app:surfaceDataMember>/g;
const TARGET = /<app:target\b[^>]*uri="#([^"]*)"[^>]*>[\s\S]*?<\/app:target>/g;

/** Of the invented city. */
export async function sampleSeeds(): Promise<ConversionSeed[]> {
  const packages = (await seedPackages()).filter(({ kind }) => kind === 'citygml');
  return packages.flatMap(({ name, members }) => seedsOf(name, members));
}

/** Of real packages. Throws when there are none. */
export async function realSeeds(): Promise<ConversionSeed[]> {
  const seeds: ConversionSeed[] = [];
  for (const zip of globSync(join(REAL, '{packages,conversion/*}/*_citygml_*.zip')).sort()) {
    const members = await unzip(zip, /\.(gml|xml|jpe?g|png|tiff?)$/i);
    seeds.push(...seedsOf(basename(zip, '.zip'), members));
  }
  if (seeds.length === 0) throw new Error(`There are no packages in ${REAL}.`);
  return seeds;
}

function seedsOf(name: string, members: ReadonlyMap<string, Uint8Array>): ConversionSeed[] {
  const seeds: ConversionSeed[] = [];
  const perType = new Map<string, number>();
  for (const [path, bytes] of members) {
    const type = /^(?:.*\/)?udx\/([a-z]+)\//.exec(path)?.[1];
    if (type === undefined || !path.endsWith('.gml') || perType.get(type)! >= PER_TYPE) continue;
    for (const text of shortened(Buffer.from(bytes).toString())) {
      const count = perType.get(type) ?? 0;
      if (count === PER_TYPE) break;
      perType.set(type, count + 1);
      seeds.push({ package: name, path, members: withOthers(path, text, members) });
    }
  }
  return seeds;
}

/** Texts of a few features each, with the appearances of these. */
function shortened(gml: string): string[] {
  const short: string[] = [];
  let begin = -1;
  for (const { 0: member, index } of gml.matchAll(MEMBER)) {
    if (begin < 0) begin = index;
    const text = withFewTriangles(member);
    if (text.length < LONGEST / 2) short.push(text);
    if (short.length === TEXTS * FEATURES) break;
  }
  if (begin < 0) return [];
  const head = gml.slice(0, begin).replace(/<app:appearanceMember>[\s\S]*/, '');
  const appearances = gml.match(SURFACE_DATA) ?? [];
  const tail = gml.slice(gml.lastIndexOf('</')).trim();
  const texts: string[] = [];
  for (let i = 0; i < short.length; i += FEATURES) {
    const features = short.slice(i, i + FEATURES).join('\n');
    const ids = new Set(Array.from(features.matchAll(/gml:id="([^"]*)"/g), ([, id]) => id!));
    const own = appearances.map((data) => onlyTargets(data, ids)).filter((data) => data !== null);
    const looks =
      own.length === 0
        ? ''
        : `<app:appearanceMember><app:Appearance><app:theme>rgbTexture</app:theme>${own.join('\n')}` +
          `</app:Appearance></app:appearanceMember>`;
    texts.push(`${head}${features}\n${looks}\n${tail}\n`);
  }
  return texts.filter((text) => text.length <= LONGEST);
}

/** Of terrain, one feature of which fills a file, some triangles. */
function withFewTriangles(text: string): string {
  let count = 0;
  return text.replace(TRIANGLE, (triangle) => (++count > TRIANGLES ? '' : triangle));
}

/** Surface data with the targets among the ids; null where it has none of them. */
function onlyTargets(data: string, ids: ReadonlySet<string>): string | null {
  let found = 0;
  const kept = data.replace(TARGET, (target, id: string) => {
    if (!ids.has(id)) return '';
    found++;
    return target;
  });
  return found === 0 ? null : kept;
}

/** The text under its path, and the small images and code lists that it names. */
function withOthers(
  path: string,
  text: string,
  members: ReadonlyMap<string, Uint8Array>,
): Map<string, Buffer> {
  const found = new Map([[path, Buffer.from(text)]]);
  for (const [, address] of text.matchAll(/(?:codeSpace="|<app:imageURI>)([^"<]*)/g)) {
    const other = posix.normalize(posix.join(posix.dirname(path), address!.trim()));
    const bytes = members.get(other);
    if (bytes !== undefined && bytes.length <= MOST_MEMBER) found.set(other, Buffer.from(bytes));
  }
  return found;
}
