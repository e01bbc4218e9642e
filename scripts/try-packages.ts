/**
 * Packs `base`, `geo`, `zip`, `citygml` and `tiles`, installs them in an empty directory without a network, and runs
 * there what others would: a zip that is read by ranges, a feature of a GML file, and the file as 3D Tiles.
 *
 *   node scripts/try-packages.ts
 *
 * Libraries that they depend on come from the checkout's own `node_modules`.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = ['base', 'geo', 'zip', 'citygml', 'tiles'];

/** `./` stands for the scope of their names, which this script does not import itself. */
const EXAMPLE = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { GmlScanner, FeatureIndex, attributesOf, namespaceContext, parseFeature } from './citygml';
import { convertFiles, tiles3dMaker } from './tiles';
import { openFileSource, readMember, readZipDirectory } from './zip';

const corners = [[35.68, 139.77], [35.68, 139.7701], [35.6801, 139.7701], [35.6801, 139.77]];
const ring = (list) => '<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>' +
  [...list, list[0]].map((place) => place.join(' ')).join(' ') +
  '</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>';
const at = (height) => corners.map((place) => [...place, height]);
const walls = corners.map((from, i) => {
  const to = corners[(i + 1) % 4];
  return ring([[...to, 3], [...from, 3], [...from, 15], [...to, 15]]);
});
const solid = '<bldg:lod1Solid><gml:Solid><gml:exterior><gml:CompositeSurface>' + ring(at(3)) + walls.join('') +
  ring(at(15).reverse()) + '</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid>';
const text = Buffer.from('<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" ' +
  'xmlns:gml="http://www.opengis.net/gml" xmlns:bldg="http://www.opengis.net/citygml/building/2.0">' +
  '<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">' +
  '<gml:lowerCorner>35.68 139.77 3</gml:lowerCorner><gml:upperCorner>35.6801 139.7701 15</gml:upperCorner>' +
  '</gml:Envelope></gml:boundedBy><core:cityObjectMember><bldg:Building gml:id="a"><bldg:measuredHeight uom="m">' +
  '12</bldg:measuredHeight>' + solid + '</bldg:Building></core:cityObjectMember></core:CityModel>');

const scanner = new GmlScanner({ member: 'a.gml', onIssue: console.error });
scanner.push(text);
const index = FeatureIndex.open(scanner.end().featureIndex);
const { start, end } = index.feature(0);
const feature = parseFeature(text.subarray(start, end), namespaceContext(index.rootTag));
console.log(attributesOf(feature, { labels: null, extent: null })['bldg:measuredHeight']);

const file = 'udx/bldg/53394525_bldg_6697_op.gml';
mkdirSync('city/udx/bldg', { recursive: true });
writeFileSync('city/' + file, text);
const { packages, issues } = await convertFiles(tiles3dMaker, {
  directory: 'city',
  files: [file],
  target: 'tiles',
  package: { name: '13101_chiyoda-ku_2023', cityCode: '13101', cityName: '千代田区', wards: [], year: 2023 },
});
const errors = issues.filter(({ severity }) => severity === 'error');
console.log(packages.map(({ key }) => key.type + ' LOD ' + key.lod), errors);

await using source = await openFileSource('tiles/13101_chiyoda-ku_2023_bldg_3dtiles_lod1.zip');
for (const entry of (await readZipDirectory(source)).entries()) {
  if (!entry.name.endsWith('.glb')) continue;
  console.log((await buffer(readMember(source, entry))).toString('latin1', 0, 4));
}
`;
const EXPECTED = "12\n[ 'bldg LOD 1' ] []\nglTF\n";

const directory = mkdtempSync(join(tmpdir(), 'citymodel-packages-'));
try {
  const npm = (cwd: string, ...words: string[]) =>
    execFileSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, encoding: 'utf8' });
  const packed = join(directory, 'packed');
  mkdirSync(packed);
  // Packing replaces package.json for a while, which tests and checks read meanwhile: it is that of a copy.
  const checkout = join(directory, 'checkout');
  mkdirSync(join(checkout, 'packages'), { recursive: true });
  symlinkSync(join(ROOT, 'scripts'), join(checkout, 'scripts'));
  for (const name of PACKAGES) {
    const copy = join(checkout, 'packages', name);
    for (const part of ['package.json', 'README.md', 'src'])
      cpSync(join(ROOT, 'packages', name, part), join(copy, part), { recursive: true });
  }
  const places = PACKAGES.map((name) => `./packages/${name}`);
  npm(checkout, 'pack', ...places, `--pack-destination=${packed}`);
  const archiveOf = (name: string) =>
    join(packed, readdirSync(packed).find((file) => file.startsWith(`citymodel-${name}-`))!);
  const own = Object.fromEntries(PACKAGES.map((name) => [`@citymodel/${name}`, `file:${archiveOf(name)}`]));
  const user = join(directory, 'user');
  mkdirSync(user);
  const libraries = librariesOf(PACKAGES.map((name) => join(ROOT, 'packages', name)));
  const json = { private: true, type: 'module', dependencies: { ...libraries, ...own } };
  writeFileSync(join(user, 'package.json'), JSON.stringify(json));
  npm(user, 'install', '--offline', '--ignore-scripts', '--install-links');
  writeFileSync(join(user, 'example.js'), EXAMPLE.replaceAll("from './", "from '@citymodel/"));
  const output = execFileSync(process.execPath, ['example.js'], { cwd: user, encoding: 'utf8' });
  if (output !== EXPECTED) throw new Error(`The example printed\n${output}in place of\n${EXPECTED}`);
  console.log(`${PACKAGES.length} packages install and run in an empty directory`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Every library that packages depend on, by way of others too, and its directory in the checkout. */
function librariesOf(directories: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  const queue = [...directories];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      const own = join(at, 'node_modules', name);
      const path = existsSync(own) ? own : join(ROOT, 'node_modules', name);
      if (name.startsWith('@citymodel/') || found[name] !== undefined) continue;
      found[name] = `file:${path}`;
      queue.push(path);
    }
  }
  return found;
}
