/**
 * The text of a very large feature without the insides of its geometry, from a stream: what attributes need of a
 * relief of hundreds of megabytes is a few kilobytes at its beginning and end.
 *
 *   copying ──"<gml:trianglePatches>"…──▶ dropping, depth 1 ──the same name begins──▶ depth + 1
 *      ▲                                      │
 *      └───────── its end tag ◀── depth 0 ◀───┘ the same name ends
 *
 * What is dropped goes with its tags, and so do the blanks between: a flood may have a million members.
 */

/** GML elements that hold positions or further geometry and nothing else (OGC 03-105r1, clauses 10 and 11). */
const DROPPED = new Set([
  'posList',
  'trianglePatches',
  'patches',
  'surfaceMember',
  'surfaceMembers',
  'curveMember',
  'curveMembers',
  'pointMember',
  'pointMembers',
  'solidMember',
  'solidMembers',
  'exterior',
  'interior',
]);

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;

/** Text that may be left of a feature without its geometry, bytes; a hundred times what real ones have. */
export const MAX_KEPT = 2 << 20;

/** The text of a feature without its geometry is larger than `MAX_KEPT`. */
export class FeatureTooLarge extends Error {
  constructor() {
    super(`the text of the feature without its geometry has more than ${MAX_KEPT} bytes`);
    this.name = 'FeatureTooLarge';
  }
}

/**
 * Joins what is left of the chunks. Text that is not well formed comes through for the parser to complain about. Throws
 * FeatureTooLarge.
 */
export async function skimFeature(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let afterDropped = false;
  const keep = (bytes: Buffer) => {
    if (afterDropped && isBlank(bytes)) return;
    afterDropped = false;
    keptBytes += bytes.length;
    if (keptBytes > MAX_KEPT) throw new FeatureTooLarge();
    kept.push(Buffer.from(bytes));
  };
  let rest: Buffer = Buffer.alloc(0);
  let dropping: { name: Buffer; depth: number } | null = null;
  for await (const chunk of chunks) {
    const text: Buffer = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    let from = 0;
    let at = 0;
    for (;;) {
      const start = text.indexOf(LT, at);
      const end = start < 0 ? -1 : endOfTag(text, start);
      if (end < 0) {
        // A tag may go on in the next chunk.
        const textEnd = start < 0 ? text.length : start;
        if (dropping === null) keep(text.subarray(from, textEnd));
        if (text.length - textEnd > MAX_KEPT) throw new FeatureTooLarge();
        rest = Buffer.from(text.subarray(textEnd));
        break;
      }
      at = end;
      const closes = text[start + 1] === SLASH;
      const nameStart = closes ? start + 2 : start + 1;
      if (dropping === null) {
        if (closes || text[end - 2] === SLASH) continue;
        const name = nameAt(text, nameStart);
        if (name === null || !DROPPED.has(name.slice(name.indexOf(':') + 1))) continue;
        keep(text.subarray(from, start));
        dropping = { name: Buffer.from(name, 'latin1'), depth: 1 };
      } else if (isName(dropping.name, text, nameStart) && text[end - 2] !== SLASH) {
        dropping.depth += closes ? -1 : 1;
        if (dropping.depth > 0) continue;
        dropping = null;
        afterDropped = true;
        from = end;
      }
    }
  }
  keep(rest);
  return Buffer.concat(kept);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

/** After the `>` of what begins at `start`, whatever it is; -1 when it ends later. */
function endOfTag(text: Buffer, start: number): number {
  const next = text[start + 1];
  if (next !== undefined && next !== BANG && next !== QUESTION) {
    // A tag is short: asking a buffer for a byte takes longer than to look at these.
    for (let at = start + 1; at < text.length; at++) if (text[at] === GT) return at + 1;
    return -1;
  }
  const opening = text.toString('latin1', start, start + 9);
  const special: [string, string] | undefined = SPECIAL.find(
    ([mark]) =>
      opening.startsWith(mark) || (mark.startsWith(opening) && start + opening.length === text.length),
  );
  const end = special === undefined ? text.indexOf(GT, start) : text.indexOf(special[1], start);
  return end < 0 ? -1 : end + (special?.[1].length ?? 1);
}

const SPECIAL: Array<[string, string]> = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];

/** Null for what is no element. */
function nameAt(text: Buffer, start: number): string | null {
  let end = start;
  while (end < text.length && !ENDS_NAME[text[end]!]) end++;
  return end === start || text[start] === BANG || text[start] === QUESTION
    ? null
    : text.toString('latin1', start, end);
}

/** Whether this name, and no longer one, is what stands at `start`. */
function isName(name: Uint8Array, text: Uint8Array, start: number): boolean {
  for (let i = 0; i < name.length; i++) if (text[start + i] !== name[i]) return false;
  const next = text[start + name.length];
  return next === undefined || ENDS_NAME[next]!;
}

const ENDS_NAME: boolean[] = Array.from({ length: 256 }, (_, byte) =>
  ' \t\r\n/>'.includes(String.fromCharCode(byte)),
);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
