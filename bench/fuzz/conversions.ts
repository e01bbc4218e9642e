/**
 * Small CityGML files through the makers of tiles. Each either has issues of its own or gives packages that the
 * validators of 3D Tiles and glTF, and a reader of vector tiles, take without a word; none takes seconds.
 */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import type { Random } from '../../packages/sample/src/random.ts';
import type { ConvertIssue, ConvertOptions, GmlSource } from '../../packages/tiles/src/convert/part-maker.ts';
import { gmlSource } from '../../packages/tiles/src/convert/read/testing/gml-source.ts';
import { checkPackage } from '../../packages/tiles/src/convert/tiles3d/testing/check-package.ts';
import { convertGml } from '../../packages/tiles/src/convert/tiles3d/testing/convert-gml.ts';
import { makeVectorTiles } from '../../packages/tiles/src/convert/vector/testing/made-tiles.ts';
import { type ConversionSeed, realSeeds, sampleSeeds } from './conversion-seeds.ts';
import type { FuzzKind, OpenKind } from './kind.ts';
import { mutateBytes, mutateText, NUMBERS } from './mutate.ts';

/** Processor time of one conversion, ms: so much, and some for each kilobyte of its files. */
const MOST_MS = 4_000;
const MS_PER_KILOBYTE = 20;
/** Vector tiles that one file may be in at all of its outputs. */
const MOST_TILES = 100_000;

/** Numbers of a ring that is repeated. */
const MOST_NUMBERS = 90_000;

const TOKENS = [
  '<', '>', '/>', ' gml:id="a"', ' xlink:href="#a"', (' xlink:href="../tran' +
    '/a.gml#b"'), ' srsName="EPSG:6668"', ' srsName="EPSG:4979"',
  ' srsName="EPSG:10169"', ' srsName="EPSG:9"', ' srsDimension="2"', ' srsDimension="3"', ' orientation="-"',
  '<gml:interior>',
  '</gml:interior>', '</gml:LinearRing>', '<gml:LinearRing>', '</core:cityObjectMember>', '<core:cityObjectMember>',
  'lod1Solid', 'lod2MultiSurface',
  'lod0FootPrint', 'lod3Solid', 'lod4MultiSurface', ' codeSpace="../../codelists/x.xml"', (' codeSpace="../../../..' +
    '/../etc/passwd"'), 'http://a/b.png',
  ...NUMBERS.map((number) => ` ${number} `),
] as const; // biome-ignore format: a table

/** What a coordinate may become: far, high, no number, the same as another, or a little off. */
const COORDINATES = [
  '0',
  '-1',
  '90',
  '-90',
  '91',
  '180',
  '1e20',
  '1e300',
  '-1e9',
  '1e-300',
  'NaN',
  '12000',
  '-12001',
  '35',
  '139',
  '45',
];

interface Input {
  seed: ConversionSeed;
  members: Map<string, Uint8Array>;
  options: Partial<ConvertOptions>;
}

/** Files of the invented city. */
export const openConversions: OpenKind = async () => conversions('conversions', await sampleSeeds());
/** Files of real packages. Throws when there are none. */
export const openRealConversions: OpenKind = async () => conversions('real-conversions', await realSeeds());

function conversions(name: string, seeds: readonly ConversionSeed[]): FuzzKind {
  return {
    name,
    batch: 10,
    mostTurnMs: MOST_MS,
    async run(random, keep) {
      const input = mutated(random.pick(seeds), random);
      keep(() => input.members.get(input.seed.path)!);
      const began = process.cpuUsage();
      const issues = await converted(input, random.int(0, 3) === 0);
      const { user, system } = process.cpuUsage(began);
      const bytes = [...input.members.values()].reduce((sum, { length }) => sum + length, 0);
      const most = MOST_MS + (MS_PER_KILOBYTE * bytes) / 1_000;
      assert.ok((user + system) / 1_000 < most, `it takes ${(user + system) / 1_000} ms`);
      return issues.length > 0 ? 'refused' : 'accepted';
    },
  };
}

function mutated(seed: ConversionSeed, random: Random): Input {
  const members = new Map(seed.members);
  let text = members.get(seed.path)!.toString();
  for (let left = random.pick([1, 1, 2, 5]); left > 0; left--) {
    const others = [...seed.members.keys()].filter((path) => path !== seed.path);
    switch (random.int(0, 9)) {
      case 0:
      case 1:
        text = mutateText(text, random, TOKENS);
        break;
      case 2:
        if (others.length > 0) {
          const path = random.pick(others);
          members.set(path, mutateBytes(members.get(path)!, random));
        }
        break;
      case 3:
        text = mutateElement(
          text,
          random,
          /<app:(?:textureCoordinates|imageURI|target|TexCoordList|worldParameterization)\b[^>]*>[^<]*/g,
        );
        break;
      case 4:
        text = mutateElement(
          text,
          random,
          /<[\w:]+ [^>]*(?:codeSpace|uom|xlink:href|srsName|gml:id|uri)="[^"]*"[^>]*>[^<]*/g,
        );
        break;
      default:
        text = mutateRing(text, random);
    }
  }
  members.set(seed.path, Buffer.from(text));
  const options: Partial<ConvertOptions> = {
    tiles: random.pick(['1.0', '1.1', '1.1']),
    compression: random.pick(['draco', 'draco', 'meshopt', 'none']),
    slim: random.int(0, 3) === 0,
    unlit: random.int(0, 3) === 0,
  };
  return { seed, members, options };
}

/** One of the elements that the pattern finds is damaged. */
function mutateElement(text: string, random: Random, pattern: RegExp): string {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text;
  const { 0: element, index } = random.pick(found);
  return text.slice(0, index) + mutateText(element, random, TOKENS) + text.slice(index + element.length);
}

/** Numbers of one ring become others, are swapped, left out or repeated. */
function mutateRing(text: string, random: Random): string {
  const rings = [...text.matchAll(/<gml:(?:posList|pos|lowerCorner|coordinates)\b[^>]*>([^<]*)/g)];
  if (rings.length === 0) return text;
  const { 0: whole, 1: list, index } = random.pick(rings);
  let numbers = list!.trim().split(/\s+/);
  const place = () => random.int(0, Math.max(0, numbers.length - 1));
  const tuple = () => 3 * random.int(0, Math.max(0, Math.floor(numbers.length / 3) - 1));
  switch (random.int(0, 8)) {
    case 0:
      numbers[place()] = random.pick(COORDINATES);
      break;
    case 1: {
      const at = place();
      numbers[at] = String(Number(numbers[at]) + random.between(-1, 1) * 10 ** random.int(-9, 5));
      break;
    }
    case 2: {
      const [a, b] = [place(), place()];
      [numbers[a], numbers[b]] = [numbers[b]!, numbers[a]!];
      break;
    }
    case 3:
      numbers.splice(tuple(), 3);
      break;
    case 4: {
      const at = tuple();
      numbers.splice(tuple(), 0, ...numbers.slice(at, at + 3));
      break;
    }
    case 5:
      numbers.splice(place(), random.int(1, 4));
      break;
    case 6: {
      // All corners at one value, so that nothing has an area.
      const axis = random.int(0, 2);
      numbers = numbers.map((number, i) => (i % 3 === axis ? numbers[axis]! : number));
      break;
    }
    case 7: {
      const [from, scale] = [tuple(), 10 ** random.int(-6, 4)];
      numbers = numbers.map((number, i) => {
        const first = Number(numbers[from + (i % 3)]);
        return String(first + (Number(number) - first) * scale);
      });
      break;
    }
    default: {
      // A ring that was repeated before is long already: 300 times that is more than the limit of memory for a batch.
      const most = Math.ceil(MOST_NUMBERS / numbers.length);
      numbers = Array.from({ length: Math.min(random.pick([2, 10, 300]), most) }, () => numbers)
        .flat()
        .slice(0, MOST_NUMBERS);
    }
  }
  const start = whole.length - list!.length;
  return text.slice(0, index) + whole.slice(0, start) + numbers.join(' ') + text.slice(index + whole.length);
}

/** Converts and checks; `isThorough`: by the validators too. */
async function converted({ seed, members, options }: Input, isThorough: boolean): Promise<ConvertIssue[]> {
  const gml: GmlSource = gmlSource(seed.path, members, { name: seed.package });
  const solids = await convertGml([gml], options);
  for (const files of solids.packages.values()) {
    if (isThorough) await checkPackage(files);
    else JSON.parse(Buffer.from(files.get('tileset.json')!).toString());
  }
  const flats = await makeVectorTiles([gml], options);
  for (const files of flats.packages.values()) checkVectorTiles(files);
  for (const { severity, message, remedy, count } of [...solids.issues, ...flats.issues]) {
    assert.ok(severity !== undefined && message !== '' && remedy !== '' && count > 0);
  }
  return [...solids.issues, ...flats.issues];
}

function checkVectorTiles(files: ReadonlyMap<string, Buffer>): void {
  const tiles = [...files.keys()].filter((path) => path.endsWith('.mvt'));
  assert.ok(tiles.length > 0 && tiles.length <= MOST_TILES, `${tiles.length} tiles`);
  const metadata = JSON.parse(files.get('metadata.json')!.toString()) as { bounds?: unknown };
  const bounds = String(metadata.bounds).split(',').map(Number);
  assert.ok(bounds.length === 4 && bounds.every(Number.isFinite), `bounds ${metadata.bounds}`);
  // A few of many.
  for (const path of tiles.filter((_, i) => i % Math.ceil(tiles.length / 30) === 0)) {
    for (const layer of Object.values(new VectorTile(new PbfReader(files.get(path)!)).layers)) {
      for (let i = 0; i < layer.length; i++) {
        const lines = layer.feature(i).loadGeometry();
        assert.ok(lines.length > 0, `${path} has a feature without geometry`);
        for (const { x, y } of lines.flat()) {
          assert.ok(Math.max(Math.abs(x), Math.abs(y)) < 2 * layer.extent, `${basename(path)}: ${x}, ${y}`);
        }
      }
    }
  }
}
