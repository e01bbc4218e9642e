import { isUtf8 } from 'node:buffer';

/** What the first bytes say about the encoding. */
export interface DetectedEncoding {
  /** Bytes of the byte order mark. */
  mark: number;
  /** `utf-16` or `utf-32` where the text cannot be read as bytes of ASCII at all. */
  wide: string | null;
}

/** Encoding by the first four bytes (XML 1.0, appendix F). */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { mark: 3, wide: null };
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff)) {
    return { mark: 4, wide: 'utf-32' };
  }
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return { mark: 2, wide: 'utf-16' };
  if ((a === 0x3c && b === 0) || (a === 0 && b === 0x3c)) return { mark: 0, wide: 'utf-16' };
  return { mark: 0, wide: null };
}

const DECLARATION =
  /^<\?xml\s+version\s*=\s*(?:"1\.\d+"|'1\.\d+')(?:\s+encoding\s*=\s*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$/;
/** Longer ones, in bytes, are none. */
const MAX_DECLARATION = 1_000;

/** True for an XML declaration with `<?` and `?>` (XML 1.0, production 23). */
export function isXmlDeclaration(text: string): boolean {
  return text.length <= MAX_DECLARATION && DECLARATION.test(text);
}

/** Encoding that an XML declaration names, lower case; `utf-8` when it names none. */
export function declaredEncoding(declaration: string): string {
  const match = /\sencoding\s*=\s*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)')/.exec(declaration);
  return (match?.[1] ?? match?.[2] ?? 'utf-8').toLowerCase();
}

/** Checks that a text is UTF-8 as it goes by in chunks. */
export class Utf8Check {
  /** Offset of the first byte of the first sequence that is no UTF-8; -1 while there is none. */
  invalidAt = -1;
  /** Bytes of a sequence that the last chunk broke off, fewer than 4. */
  private rest: Buffer = Buffer.alloc(0);
  private offset = 0;

  push(chunk: Uint8Array): void {
    if (this.invalidAt >= 0) return;
    let from = 0;
    if (this.rest.length > 0) {
      const joined = Buffer.concat([this.rest, chunk.subarray(0, 4)]);
      const length = sequenceLength(joined[0]!);
      if (joined.length < length) {
        this.rest = joined;
        this.offset += chunk.length;
        return;
      }
      const start = this.offset - this.rest.length;
      if (!isUtf8(joined.subarray(0, length))) {
        this.invalidAt = start;
        return;
      }
      from = length - this.rest.length;
    }
    const to = chunk.length - unfinished(chunk, from);
    const bytes = chunk.subarray(from, to);
    if (!isUtf8(bytes)) this.invalidAt = this.offset + from + firstInvalid(bytes);
    this.rest = Buffer.from(chunk.subarray(to));
    this.offset += chunk.length;
  }

  end(): void {
    if (this.invalidAt < 0 && this.rest.length > 0) this.invalidAt = this.offset - this.rest.length;
  }
}

function sequenceLength(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
}

/** Bytes at the end that begin a sequence without ending it. */
function unfinished(chunk: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && chunk.length - back >= from; back++) {
    const byte = chunk[chunk.length - back]!;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Offset of the first sequence that is no UTF-8, in bytes that have one. */
function firstInvalid(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  // Invariant: bytes[0, low) is valid; low is at the start of a sequence.
  while (high - low > 64) {
    let middle = (low + high) >>> 1;
    while (middle > low && (bytes[middle]! & 0xc0) === 0x80 && middle > ((low + high) >>> 1) - 4) middle--;
    if (isUtf8(bytes.subarray(low, middle))) low = middle;
    else high = middle;
  }
  while (low < bytes.length) {
    const length = sequenceLength(bytes[low]!);
    if (!isUtf8(bytes.subarray(low, low + length))) return low;
    low += length;
  }
  return low;
}
