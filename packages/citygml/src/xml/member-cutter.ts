/**
 * Cuts the text of a GML file into the children of its root element, as it goes by in chunks: features one by one,
 * whatever the size of the file.
 *
 *   before the root ──start tag──▶ between children ──start tag──▶ in a child ──its end tag──▶ between children
 *                                        │ <gml:featureMembers>: its children are cut too
 *                                        └── end tag of the root ──▶ done
 *
 * The end of a child is found by searching for its end tag, which is many times faster than walking through it.
 */
import { namespaceContext } from './feature-xml.ts';
import type { NamespaceContext } from './namespace-context.ts';

/** A child of the root element. */
export interface MemberText {
  /** Canonical qualified name: `core:cityObjectMember`. */
  name: string;
  /** Offset in the text of the file. */
  start: number;
  /**
   * The whole element; valid until the next one is asked for. Null for one that is larger than the limit: see `chunks`.
   */
  text: Buffer | null;
  /**
   * The element in pieces, the next of which is only valid until another one is asked for; what is not read is passed
   * over.
   */
  chunks(): AsyncGenerator<Buffer, void, void>;
}

/** The text is no XML that can be cut. */
export class GmlTextError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GmlTextError';
  }
}

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
/** A start tag longer than this is none, bytes: root tags of real files have 3 kB. */
const MAX_TAG = 1 << 20;
/** Bytes of the buffer to begin with. */
const USUAL_BUFFER = 1 << 18;
/** Bytes of the pieces of a large member: readers keep copies of a piece. */
const PIECE = 1 << 20;
const CONTAINERS = new Set(['gml:featureMembers']);

export class MemberCutter {
  /** Namespaces of the root; null before it has been seen. */
  context: NamespaceContext | null = null;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #wholeBytes: number;
  /** What has been read and not been given on lies in `#buffer` from `#at` to `#end`. */
  #buffer = Buffer.alloc(USUAL_BUFFER);
  #at = 0;
  #end = 0;
  /** Offset in the text of `#buffer[0]`. */
  #offset = 0;
  /** End tag of the large member that is being given on; null when there is none. */
  #open: Buffer | null = null;

  /** `wholeBytes`: size from which on a member is given on in pieces only. */
  constructor(text: AsyncIterable<Uint8Array>, wholeBytes: number) {
    this.#chunks = text[Symbol.asyncIterator]();
    this.#wholeBytes = wholeBytes;
  }

  /**
   * The next child of the root; null after the last. Throws GmlTextError where no tag can be found, and what reading
   * the text throws.
   */
  async next(): Promise<MemberText | null> {
    if (this.#open !== null) for await (const _ of this.#rest());
    for (;;) {
      const tag = await this.#nextTag();
      if (tag === null) return null;
      const written = this.#buffer.subarray(tag.from, tag.to);
      const closing = written[1] === SLASH;
      if (this.context === null) {
        if (closing) throw new GmlTextError('The text begins with an end tag.');
        this.context = namespaceContext(Buffer.from(written));
        this.#at = tag.to;
        continue;
      }
      if (closing) {
        this.#at = tag.to;
        continue;
      }
      const qualified = tagName(written);
      const name = this.context.element(qualified);
      const start = this.#offset + tag.from;
      if (CONTAINERS.has(name)) {
        this.#at = tag.to;
        continue;
      }
      this.#at = tag.from;
      if (written.at(-2) === SLASH) {
        this.#at = tag.to;
        const text = Buffer.from(written);
        return { name, start, text, chunks: () => once(text) };
      }
      const endTag = Buffer.from(`</${qualified}`);
      const end = await this.#findEnd(endTag, tag.to - tag.from);
      if (end === null) {
        this.#open = endTag;
        return { name, start, text: null, chunks: () => this.#rest() };
      }
      const text = this.#buffer.subarray(this.#at, end);
      this.#at = end;
      return { name, start, text, chunks: () => once(text) };
    }
  }

  /** Stops reading the text. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** The next tag, from its `<` to after its `>`; null at the end of the text. */
  async #nextTag(): Promise<{ from: number; to: number } | null> {
    for (;;) {
      let from = this.#find(LT, this.#at);
      while (from < 0) {
        this.#at = this.#end;
        if (!(await this.#fill())) return null;
        from = this.#find(LT, this.#at);
      }
      this.#at = from;
      const special = await this.#special();
      if (special === null) {
        let to = this.#find(GT, this.#at);
        while (to < 0) {
          if (this.#end - this.#at > MAX_TAG) throw new GmlTextError(`A tag has more than ${MAX_TAG} bytes.`);
          if (!(await this.#fill())) throw new GmlTextError('The text ends inside a tag.');
          to = this.#find(GT, this.#at);
        }
        return { from: this.#at, to: to + 1 };
      }
      let close = this.#buffer.subarray(this.#at, this.#end).indexOf(special);
      while (close < 0) {
        if (this.#end - this.#at > this.#wholeBytes) throw new GmlTextError('A comment does not end.');
        if (!(await this.#fill())) return null;
        close = this.#buffer.subarray(this.#at, this.#end).indexOf(special);
      }
      this.#at += close + special.length;
    }
  }

  /** How the comment, instruction or section at `#at` ends; null for a tag. */
  async #special(): Promise<string | null> {
    while (this.#end - this.#at < 9 && (await this.#fill()));
    const opening = this.#buffer.toString('latin1', this.#at, Math.min(this.#at + 9, this.#end));
    if (opening.startsWith('<!--')) return '-->';
    if (opening.startsWith('<![CDATA[')) return ']]>';
    if (opening.startsWith('<?')) return '?>';
    return opening.startsWith('<!') ? '>' : null;
  }

  /** Offset after the end tag of the member at `#at`; null when the member is larger than the limit. */
  async #findEnd(endTag: Buffer, skip: number): Promise<number | null> {
    let searched = skip;
    for (;;) {
      const found = this.#endIn(endTag, this.#at + searched);
      if (found !== null) return found;
      searched = Math.max(skip, this.#end - this.#at - endTag.length - 64);
      if (this.#end - this.#at > this.#wholeBytes) return null;
      if (!(await this.#fill())) throw new GmlTextError(`The text ends before ${endTag.toString()}>.`);
    }
  }

  /** Offset after the first complete end tag from `from` on that is none inside a comment or a section. */
  #endIn(endTag: Buffer, from: number): number | null {
    const text = this.#buffer.subarray(0, this.#end);
    for (let at = text.indexOf(endTag, from); at >= 0; at = text.indexOf(endTag, at + 1)) {
      let end = at + endTag.length;
      while (end < text.length && text[end]! <= 0x20) end++;
      if (end >= text.length) return null;
      if (text[end] === GT && !isInside(text, this.#at, at, '<!--', '-->')) {
        if (!isInside(text, this.#at, at, '<![CDATA[', ']]>')) return end + 1;
      }
    }
    return null;
  }

  /** What is left of the large member that is open. */
  async *#rest(): AsyncGenerator<Buffer, void, void> {
    while (this.#open !== null) {
      const end = this.#endIn(this.#open, this.#at);
      // An end tag may begin in what is kept.
      const upTo = end ?? this.#end - this.#open.length - 64;
      while (this.#at < upTo) {
        const piece = this.#buffer.subarray(this.#at, Math.min(upTo, this.#at + PIECE));
        this.#at += piece.length;
        if (this.#at === end) this.#open = null;
        yield piece;
      }
      if (end !== null) return;
      if (!(await this.#fill())) throw new GmlTextError('The text ends inside of a large feature.');
    }
  }

  #find(byte: number, from: number): number {
    const found = this.#buffer.indexOf(byte, from);
    return found < this.#end ? found : -1;
  }

  /** Reads the next chunk; false at the end of the text. */
  async #fill(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    const kept = this.#end - this.#at;
    const needed = kept + value.length;
    const room = Math.max(USUAL_BUFFER, 2 * needed);
    // What a large member has left behind is let go.
    const isTooLarge = 16 * room < this.#buffer.length;
    if (isTooLarge || this.#end + value.length > this.#buffer.length) {
      const target = isTooLarge || needed > this.#buffer.length ? Buffer.alloc(room) : this.#buffer;
      this.#buffer.copy(target, 0, this.#at, this.#end);
      this.#buffer = target;
      this.#offset += this.#at;
      this.#at = 0;
      this.#end = kept;
    }
    this.#buffer.set(value, this.#end);
    this.#end += value.length;
    return true;
  }
}

/** True when the last `open` between two offsets has no `close` after it. */
function isInside(text: Buffer, from: number, to: number, open: string, close: string): boolean {
  const part = text.subarray(from, to);
  const last = part.lastIndexOf(open);
  return last >= 0 && part.indexOf(close, last) < 0;
}

function tagName(tag: Buffer): string {
  let end = 1;
  while (end < tag.length && tag[end]! > 0x20 && tag[end] !== GT && tag[end] !== SLASH) end++;
  return tag.toString('utf8', 1, end);
}

async function* once(text: Buffer): AsyncGenerator<Buffer, void, void> {
  yield text;
}
