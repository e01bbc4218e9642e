/** Reads one GML file member by member and shows each to the visitors. */
import {
  ElementCutter,
  FeatureXmlError,
  GmlScanner,
  GmlTextError,
  MemberCutter,
  type MemberText,
  type NamespaceContext,
  NO_ATTRIBUTES,
  parseFeature,
  type ScannerMemory,
  type XmlElement,
} from '@citymodel/citygml';
import type { FileEnvelope, FileVisitor, Member } from '../check.ts';
import { elementsOf, numbersOf } from '../elements.ts';
import { LineCounter } from './line-counter.ts';
import { Walk } from './walk.ts';

/** Text of a member up to which it is read as a tree, bytes. */
const WHOLE_MEMBER = 64 << 20;
const FEATURE_MEMBERS = new Set(['core:cityObjectMember', 'gml:featureMember']);

export interface ReadHooks {
  signal: AbortSignal;
  /** Bytes that have been read. */
  onText(bytes: number): void;
  onEnvelope(envelope: FileEnvelope): void;
  /** Names and versions of the file, before its first member is shown; of one that has anything below its root. */
  onContext?(context: NamespaceContext): void;
  /** The member that is shown next. */
  onMember?(member: Member): void;
  /** Something was passed over. */
  skipped(reason: string): void;
  memory?: ScannerMemory;
}

/** Why a file is not well-formed, a full sentence each; `isSyntax` for anything but namespaces. Empty when it is. */
export interface TextFault {
  message: string;
  isSyntax: boolean;
}

/**
 * Reads a text to its end. Visitors of a text that is not well-formed have seen a part of it, so their findings are
 * worth nothing. Returns the fault, or null. Throws what reading the text throws, and the reason of the signal.
 */
export async function readFile(
  text: AsyncIterable<Uint8Array>,
  visitors: readonly FileVisitor<unknown>[],
  hooks: ReadHooks,
): Promise<TextFault | null> {
  let fault: TextFault | null = null;
  const scanner = new GmlScanner({
    member: '',
    ...(hooks.memory === undefined ? {} : { memory: hooks.memory }),
    onIssue: ({ code, severity, message }) => {
      if (severity === 'error') fault ??= { message, isSyntax: code !== 'UNBOUND_PREFIX' };
    },
  });
  const lines = new LineCounter();
  const cutter = new MemberCutter(observed(text, scanner, lines, hooks), WHOLE_MEMBER);
  const walk = new Walk(visitors, hooks.onMember);
  try {
    let number = 0;
    let isOpened = false;
    for (let found = await cutter.next(); found !== null; found = await cutter.next()) {
      if (fault !== null) break;
      if (!isOpened) {
        isOpened = true;
        hooks.onContext?.(cutter.context!);
      }
      if (found.name === 'gml:boundedBy' && found.text !== null) {
        hooks.onEnvelope(envelopeOf(parseFeature(found.text, cutter.context!)));
      } else if (found.name === 'app:appearanceMember') {
        for (const visitor of visitors) visitor.appearance?.(found.text);
      } else if (FEATURE_MEMBERS.has(found.name)) {
        const line = lines.at(found.start);
        if (found.text === null) await showLarge(found, number++, line, cutter, walk, hooks);
        else {
          const feature = parseFeature(found.text, cutter.context!).children[0];
          if (feature !== undefined) await walk.show({ feature, number: number++, line, isLarge: false });
        }
      }
    }
    // The scanner sees what follows the last member too.
    if (fault === null) scanner.end();
  } catch (error) {
    if (!(error instanceof GmlTextError || error instanceof FeatureXmlError)) throw error;
    fault ??= { message: error.message, isSyntax: true };
  } finally {
    await cutter.close();
  }
  return fault;
}

/** A member that is too large for a tree: its polygons one by one, then what is left of it. */
async function showLarge(
  found: MemberText,
  number: number,
  line: number,
  cutter: MemberCutter,
  walk: Walk,
  hooks: ReadHooks,
): Promise<void> {
  // Copied: parts of a text would keep the whole of it.
  let rest = Buffer.alloc(1 << 16);
  let kept = 0;
  const polygons = new ElementCutter('polygons', WHOLE_MEMBER, (between) => {
    const before = kept;
    kept += between.length;
    if (kept > WHOLE_MEMBER) return;
    if (kept > rest.length) rest = Buffer.concat([rest.subarray(0, before)], 2 * kept);
    rest.write(between, before, 'latin1');
  });
  const stub: XmlElement = { name: found.name, attributes: NO_ATTRIBUTES, children: [], text: '' };
  const member: Member = { feature: stub, number, line, isLarge: true };
  for await (const chunk of found.chunks()) {
    for (const { text } of polygons.push(chunk)) {
      walk.down(parseFeature(text, cutter.context!), [stub], member);
    }
  }
  polygons.end();
  if (kept > WHOLE_MEMBER) {
    hooks.skipped(`The feature that begins at line ${line} is too large; only its polygons are looked at.`);
    return;
  }
  const feature = parseFeature(rest.subarray(0, kept), cutter.context!).children[0];
  if (feature !== undefined) await walk.show({ ...member, feature });
}

async function* observed(
  text: AsyncIterable<Uint8Array>,
  scanner: GmlScanner,
  lines: LineCounter,
  hooks: ReadHooks,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of text) {
    hooks.signal.throwIfAborted();
    scanner.push(chunk);
    lines.push(chunk);
    hooks.onText(chunk.length);
    yield chunk;
  }
}

/** The envelope of a `gml:boundedBy`. */
export function envelopeOf(boundedBy: XmlElement): FileEnvelope {
  let envelope: XmlElement | null = null;
  let [lower, upper]: [number[] | null, number[] | null] = [null, null];
  for (const element of elementsOf(boundedBy)) {
    if (element.name === 'gml:Envelope') envelope ??= element;
    else if (element.name === 'gml:lowerCorner') lower ??= cornerOf(element);
    else if (element.name === 'gml:upperCorner') upper ??= cornerOf(element);
  }
  return { srsName: envelope?.attributes.srsName ?? null, lower, upper };
}

function cornerOf(element: XmlElement): number[] | null {
  const numbers = numbersOf(element.text);
  return numbers.length >= 2 && numbers.every(Number.isFinite) ? numbers : null;
}
