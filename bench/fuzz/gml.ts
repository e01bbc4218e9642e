/**
 * CityGML texts through the scanner, the feature index and every format. saxes is the second opinion: both must agree
 * whether a text is well formed and which features it has.
 */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { SaxesParser } from 'saxes';
import type { Issue } from '../../packages/base/src/issue.ts';
import { finish } from '../../packages/base/src/steps.ts';
import { backgroundSlices } from '../../packages/base/src/turns.ts';
import { geometriesOf } from '../../packages/citygml/src/geometry/feature-geometry.ts';
import { FeatureIndex } from '../../packages/citygml/src/index/feature-index.ts';
import { GmlScanner } from '../../packages/citygml/src/scan/scanner.ts';
import { ScannerMemory } from '../../packages/citygml/src/scan/scanner-memory.ts';
import type { GmlSummary } from '../../packages/citygml/src/scan/summary.ts';
import { cityModel } from '../../packages/citygml/src/testing/gml-text.ts';
import { namespaceContext, parseFeature } from '../../packages/citygml/src/xml/feature-xml.ts';
import { FeatureXmlError } from '../../packages/citygml/src/xml/xml-element.ts';
import type { Random } from '../../packages/sample/src/random.ts';
import { ServiceError } from '../../packages/server/src/base/errors.ts';
import { FORMATS } from '../../packages/server/src/features/formats/formats.ts';
import { SpoolSpace } from '../../packages/server/src/features/formats/record-spool.ts';
import type { OpenKind, Verdict } from './kind.ts';
import { mutateBytes, mutateText, NUMBERS } from './mutate.ts';
import { seedMembers } from './seeds.ts';

/** Features of a seed: with more of them mutation hits the same text again and again. */
const FEATURES = 2;
/** Longest seed, UTF-16 code units. */
const LONGEST = 24_000;
const MEMBER = /<core:cityObjectMember>[\s\S]*?<\/core:cityObjectMember>/g;

const TOKENS = [
  '<', '>', '&', '"', "'", '/>', '</', '<!--', '-->', '--', '<![CDATA[', ']]>', ']]', '<?a', '<?xml ?>', '?>', '&amp;',
  '&#x0;', '&#65;',
  '&#xD800;', '&lt;', '&a;', '\0', '\u0007', '\ufffe', '\ufeff', '\n', ' ', '\t', '\r', '=', ' a="1"', ' a="1" a="2"',
  ' xmlns:gml="x"',
  ' xmlns="y"', ' xmlns:b=""', ' xmlns:xml="x"', ' gml:id="a"', ' gml:id=""', '<gml:pos>', '</gml:pos>',
  '<gml:posList>', '</gml:posList>',
  '</core:cityObjectMember>', '<core:cityObjectMember>', ('<bldg:Building ' +
    'gml:id="zz">'), '</bldg:Building>', '<bldg:Building/>',
  ' srsName="EPSG:4326"', ' srsName="EPSG:30169"', ' srsDimension="2"', ' srsDimension="0"', ' xlink:href="#a"',
  ' xlink:href="../a.xml"',
  '<!DOCTYPE a>', ('<!DOCTYPE a [<!ENTITY b ' +
    '"c">]>'), '東京', '💠', '\ud83d', '<a/>', '<a>', '</a>', '<a:b/>', ' codeSpace="../../codelists/x.xml"',
  '<gml:name>', '</gml:name>', '</core:CityModel>', '<?xml version="1.1"?>', ...NUMBERS.map((number) => ` ${number} `),
] as const; // biome-ignore format: a table

export const openGml: OpenKind = async () => {
  const seeds = (await seedMembers('citygml', /\.gml$/)).flatMap((gml) => shorten(gml.toString()));
  const memory = new ScannerMemory();
  return {
    name: 'gml',
    batch: 20,
    async run(random, keep) {
      const seed = random.pick(seeds);
      const text = Buffer.from(mutateText(seed, random, TOKENS));
      const bytes = random.int(0, 3) === 0 ? mutateBytes(text, random) : text;
      keep(() => bytes);
      const { summary, issues } = scan(bytes, random, memory);
      const second = readWithSaxes(bytes);
      compare(summary, issues, second);
      await readFeatures(bytes, summary);
      return summary.wellFormed ? 'accepted' : 'refused';
    },
  };
};

/** Texts of some features each, whole documents. */
function shorten(gml: string): string[] {
  const members = gml.match(MEMBER) ?? [];
  if (members.length === 0) return [];
  const head = gml.slice(0, gml.indexOf('<core:cityObjectMember>'));
  const texts = [cityModel(members[0]!)];
  for (let i = 0; i < Math.min(members.length, 5 * FEATURES); i += FEATURES) {
    texts.push(`${head}${members.slice(i, i + FEATURES).join('\n')}\n</core:CityModel>\n`);
  }
  return texts.filter((text) => text.length <= LONGEST);
}

function scan(
  bytes: Buffer,
  random: Random,
  memory: ScannerMemory,
): { summary: GmlSummary; issues: Issue[] } {
  const issues: Issue[] = [];
  let cut = 0;
  const scanner = new GmlScanner({
    member: 'a.gml',
    onIssue: (issue) => issues.push(issue),
    blockHint: (offset) => {
      assert.ok(offset > cut && offset <= bytes.length, `block at ${offset} after ${cut}`);
      cut = offset;
    },
    ...(random.int(0, 1) === 0 ? { memory } : {}),
  });
  const step = random.pick([bytes.length + 1, bytes.length + 1, 1_000, 7]);
  for (let at = 0; at < bytes.length; at += step) scanner.push(bytes.subarray(at, at + step));
  return { summary: scanner.end(), issues };
}

interface SecondOpinion {
  fault: string | null;
  hasDoctype: boolean;
}

/**
 * The only characters beyond controls that XML forbids; the scanner lets them pass (docs/issues.md, NOT_WELL_FORMED).
 */
const NON_CHARACTERS = /[\ufffe\uffff]/g;

/** What saxes says: XML 1.0, fifth edition, with namespaces. */
function readWithSaxes(bytes: Buffer): SecondOpinion {
  if (!isUtf8(bytes)) return { fault: 'no UTF-8', hasDoctype: false };
  const parser = new SaxesParser({ xmlns: true });
  let fault: string | null = null;
  let hasDoctype = false;
  parser.on('error', (error) => {
    fault = error.message;
    throw error;
  });
  parser.on('doctype', () => {
    hasDoctype = true;
  });
  try {
    parser
      .write(
        bytes
          .toString()
          .replace(/^\ufeff/, '')
          .replace(NON_CHARACTERS, '\ufffd'),
      )
      .close();
  } catch (error) {
    // The first fault is enough.
    if (fault === null) throw error;
  }
  return { fault, hasDoctype };
}

function compare(summary: GmlSummary, issues: readonly Issue[], { fault, hasDoctype }: SecondOpinion): void {
  const codes = issues.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  if (!summary.wellFormed) assert.ok(codes.length > 0, 'refused without an issue');
  if (fault === null && !hasDoctype)
    assert.ok(summary.wellFormed, `well formed for saxes, refused: ${codes}`);
  if (fault !== null && !isOfName(fault))
    assert.ok(!summary.wellFormed, `well formed for the scanner, but ${fault}`);
}

/** The scanner takes any character beyond ASCII for one of a name (docs/issues.md, NOT_WELL_FORMED). */
function isOfName(fault: string): boolean {
  return /disallowed (initial )?character in .*name|name must not be|disallowed character in (tag|closing)/i.test(
    fault,
  );
}

async function* batchOf(record: unknown): AsyncGenerator<unknown[]> {
  yield [record];
}

/** One feature never needs the disk. */
const TABLE_ROOM = { memoryBytes: 1 << 24, space: new SpoolSpace('', 0) };

/** Reads every feature that the index has, in every format. */
async function readFeatures(bytes: Buffer, { featureIndex, wellFormed }: GmlSummary): Promise<Verdict> {
  const index = FeatureIndex.open(featureIndex);
  try {
    const context = namespaceContext(index.rootTag);
    const defaults = {
      srsName: index.crs.srsName || null,
      srsDimension: Number(index.crs.srsDimension) || null,
    };
    for (let i = 0; i < index.size; i++) {
      const entry = index.feature(i);
      index.footprint(entry);
      if (entry.id !== null) assert.ok(index.find(entry.id).includes(i), `${entry.id} is not found`);
      const element = parseFeature(bytes.subarray(entry.start, entry.end), context);
      assert.equal(element.name, entry.element);
      const geometries = geometriesOf(element, defaults);
      for (const format of FORMATS) {
        const writer = format.writer({
          fields: null,
          flatten: format.flatten === 'always',
          tableRoom: TABLE_ROOM,
        });
        const parts = {
          entry,
          element,
          labels: null,
          geometries,
          fallbackId: `a.gml#${i}`,
          hasVersion2Names: false,
        };
        const pieces: Uint8Array[] = [];
        const record = finish(writer.record(parts));
        for await (const piece of writer.pieces(batchOf(record), backgroundSlices())) pieces.push(piece);
        if (/json/.test(format.contentType) && format.name !== 'cityjsonseq')
          JSON.parse(Buffer.concat(pieces).toString());
      }
    }
    return 'accepted';
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return 'refused';
    // Of a text that is not well formed, what precedes the fault is served.
    if (error instanceof FeatureXmlError && !wellFormed) return 'refused';
    throw error;
  }
}
