/** The features of one GML file, each read once, in the order of the text. */
import {
  type CoordinateDefaults,
  defaultsOf,
  defaultsWithin,
  ElementCutter,
  FeatureXmlError,
  GmlTextError,
  MemberCutter,
  type MemberText,
  parseFeature,
  type XmlElement,
} from '@citymodel/citygml';
import type { ConvertIssue, GmlSource } from '../part-maker.ts';
import { isTurned, type WrittenBox, writtenBox } from './axis-order.ts';

/** Text of a feature up to which it is read as a tree, bytes. */
export const WHOLE_FEATURE = 16 << 20;

/** A feature of a GML file; one that is larger than `WHOLE_FEATURE` comes as `LargeFeature`. */
export interface GmlFeature {
  kind: 'feature';
  /** Its place among the features of the file, from 0. */
  number: number;
  element: XmlElement;
  /** The reference system that holds where its geometry names none. */
  defaults: CoordinateDefaults;
}

/** The text of a feature that is too large for a tree. */
export interface LargeFeature {
  kind: 'large';
  number: number;
  /** The member with the feature in it, in pieces that are valid one at a time. */
  chunks(): AsyncIterable<Buffer>;
  /** For reading pieces of it. */
  parse(text: Buffer): XmlElement;
  defaults: CoordinateDefaults;
}

/** An `app:Appearance` of the whole file, or one of its surface data. */
export interface GmlAppearance {
  kind: 'appearance';
  element: XmlElement;
}

export type GmlItem = GmlFeature | LargeFeature | GmlAppearance;

export interface ReadOptions {
  signal: AbortSignal;
  onText(bytes: number): void;
  issue(issue: ConvertIssue): void;
}

const FEATURE_MEMBERS = new Set(['core:cityObjectMember', 'gml:featureMember']);
const APPEARANCE_MEMBERS = new Set(['app:appearanceMember', 'core:appearanceMember']);

/**
 * Reads a GML file. A feature that is not well formed is passed over and becomes an issue, and so does the rest of a
 * file that breaks off. Throws what reading the text throws, and the reason of the signal.
 */
export async function* readGml(gml: GmlSource, options: ReadOptions): AsyncGenerator<GmlItem, void, void> {
  const cutter = new MemberCutter(counted(gml.text(), options), WHOLE_FEATURE);
  let defaults: CoordinateDefaults = { srsName: null, srsDimension: null };
  let box: WrittenBox | null = null;
  let number = 0;
  try {
    for (;;) {
      const member = await nextMember(cutter, gml, options);
      if (member === null) return;
      const parse = (text: Buffer) => parseFeature(text, cutter.context!);
      if (member.name === 'gml:boundedBy') {
        const boundedBy = parseSafely(member, parse, gml, options);
        defaults = (boundedBy === null ? null : defaultsOf(boundedBy)) ?? defaults;
        box = boundedBy === null ? box : writtenBox(boundedBy);
      } else if (APPEARANCE_MEMBERS.has(member.name)) {
        yield* appearancesOf(member, parse, gml, options);
      } else if (member.text === null) {
        yield {
          kind: 'large',
          number: number++,
          chunks: member.chunks,
          parse,
          defaults: ordered(defaults, box, null),
        };
      } else {
        const element = parseSafely(member, parse, gml, options);
        if (element === null) continue;
        const found = FEATURE_MEMBERS.has(member.name)
          ? element.children
          : isFeature(element)
            ? [element]
            : [];
        for (const feature of found) {
          yield {
            kind: 'feature',
            number: number++,
            element: feature,
            defaults: ordered(systemOf(feature, defaults), box, feature),
          };
        }
      }
    }
  } finally {
    await cutter.close();
  }
}

async function nextMember(
  cutter: MemberCutter,
  gml: GmlSource,
  options: ReadOptions,
): Promise<MemberText | null> {
  try {
    return await cutter.next();
  } catch (error) {
    if (!(error instanceof GmlTextError || error instanceof FeatureXmlError)) throw error;
    options.issue({
      code: 'GML_BREAKS_OFF',
      severity: 'error',
      file: gml.path,
      id: null,
      count: 1,
      message: `The text cannot be read to its end: ${error.message}`,
      remedy: 'What comes before is converted. Correct the file and ingest the package again.',
    });
    return null;
  }
}

function parseSafely(
  member: MemberText,
  parse: (text: Buffer) => XmlElement,
  gml: GmlSource,
  options: ReadOptions,
): XmlElement | null {
  try {
    return member.text === null ? null : parse(member.text);
  } catch (error) {
    if (!(error instanceof FeatureXmlError)) throw error;
    options.issue({
      code: 'FEATURE_MALFORMED',
      severity: 'error',
      file: gml.path,
      id: null,
      count: 1,
      message: `A feature cannot be read: ${error.message} of the element that begins at byte ${member.start}.`,
      remedy: 'It is left out. Correct the file and ingest the package again.',
    });
    return null;
  }
}

/** Appearances of the file; one with more data than fits is cut into its surface data first. */
async function* appearancesOf(
  member: MemberText,
  parse: (text: Buffer) => XmlElement,
  gml: GmlSource,
  options: ReadOptions,
): AsyncGenerator<GmlAppearance, void, void> {
  if (member.text !== null) {
    const element = parseSafely(member, parse, gml, options);
    for (const child of element?.children ?? []) yield { kind: 'appearance', element: child };
    return;
  }
  const cutter = new ElementCutter('textures', WHOLE_FEATURE);
  for await (const chunk of member.chunks()) {
    for (const { text } of cutter.push(chunk)) {
      const element = parseSafely({ ...member, text }, parse, gml, options);
      if (element !== null) yield { kind: 'appearance', element };
    }
  }
}

/**
 * Features of other containers, such as a file with one feature as its root's child; what GML says of the file itself
 * is none.
 */
function isFeature(element: XmlElement): boolean {
  return element.attributes['gml:id'] !== undefined && !/^(?:gml|app|core|xml):/.test(element.name);
}

/** The reference system of a feature: of its envelope, of the file, or the first that its geometry names. */
function systemOf(feature: XmlElement, ofFile: CoordinateDefaults): CoordinateDefaults {
  const defaults = defaultsWithin(feature, ofFile);
  return defaults.srsName === null ? { ...defaults, srsName: firstSystem(feature) } : defaults;
}

/** Adds the order of axes, where it is not that of the registry. */
function ordered(
  defaults: CoordinateDefaults,
  box: WrittenBox | null,
  feature: XmlElement | null,
): CoordinateDefaults {
  return { ...defaults, isTurned: isTurned(defaults.srsName, box, feature) };
}

function firstSystem({ attributes, children }: XmlElement): string | null {
  if (attributes.srsName !== undefined) return attributes.srsName;
  for (const child of children) {
    const found = firstSystem(child);
    if (found !== null) return found;
  }
  return null;
}

async function* counted(
  text: AsyncIterable<Uint8Array>,
  { signal, onText }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of text) {
    signal.throwIfAborted();
    onText(chunk.length);
    yield chunk;
  }
}
