/** Elements of certain names out of a text that is too large for a tree. */

/** What an element that was cut is, and what came before it. */
export interface CutElement {
  text: Buffer;
  /**
   * Level of detail of the last property that began before it (`lod1MultiSurface`), or that a relief states
   * (`dem:lod`); null when none did.
   */
  lod: number | null;
}

const LEVEL = /<(?:[\w.-]+:)?lod(?:(\d)\w*(?=[\s>])|>\s{0,20}(\d)\s{0,20}<)/g;
/** `dem:extent`, whose polygon says where a relief holds. */
const EXTENT = /<(\/?)(?:[\w.-]+:)?extent(\s[^<>]{0,1000})?>/g;
/** What may be cut, and how its elements begin. */
const BEGINS = {
  textures: /<((?:[\w.-]+:)?surfaceDataMember)(?=[\s>])/g,
  polygons: /<((?:[\w.-]+:)?(?:Polygon|PolygonPatch|Triangle|Rectangle))(?=[\s>])/g,
};
/** Names with their brackets are shorter. */
const LONGEST_NAME = 200;

/**
 * Finds every element of one kind, outermost ones, in the order of the text. One of more than `limit` bytes is passed
 * over, and so is the extent of a relief. Comments are not looked for: the elements hold geometry or textures.
 */
export class ElementCutter {
  readonly #begins: RegExp;
  readonly #limit: number;
  readonly #onRest: ((text: string) => void) | null;
  #lod: number | null = null;
  #isExtent = false;
  #rest = '';

  /** `onRest` has the text between the elements, and those that are passed over, one character a byte. */
  constructor(elements: keyof typeof BEGINS, limit: number, onRest: ((text: string) => void) | null = null) {
    this.#begins = BEGINS[elements];
    this.#limit = limit;
    this.#onRest = onRest;
  }

  /** The elements that end in this piece of the text. */
  *push(chunk: Buffer): Generator<CutElement, void, void> {
    // One byte a character, so that a character that two chunks share stays whole.
    const text = this.#rest + chunk.toString('latin1');
    let at = 0;
    let shown = 0;
    for (;;) {
      this.#begins.lastIndex = at;
      const begin = this.#begins.exec(text);
      const between = text.slice(at, begin?.index);
      this.#lod = lastLod(between) ?? this.#lod;
      this.#isExtent = lastExtent(between) ?? this.#isExtent;
      if (begin === null) {
        at = Math.max(at, text.length - LONGEST_NAME);
        break;
      }
      const end = text.indexOf(`</${begin[1]!}`, begin.index);
      const after = end < 0 ? -1 : text.indexOf('>', end);
      if (after < 0) {
        at = text.length - begin.index > this.#limit ? text.length - LONGEST_NAME : begin.index;
        break;
      }
      if (after + 1 - begin.index <= this.#limit && !this.#isExtent) {
        this.#onRest?.(text.slice(shown, begin.index));
        shown = after + 1;
        yield { text: Buffer.from(text.slice(begin.index, after + 1), 'latin1'), lod: this.#lod };
      }
      at = after + 1;
    }
    this.#onRest?.(text.slice(shown, at));
    this.#rest = text.slice(at);
  }

  /** The text has ended: what is left of it goes to `onRest`. */
  end(): void {
    this.#onRest?.(this.#rest);
    this.#rest = '';
  }
}

function lastLod(text: string): number | null {
  let lod: number | null = null;
  for (const [, named, stated] of text.matchAll(LEVEL)) lod = Number(named ?? stated);
  return lod;
}

/** Whether an extent is open at the end of the text; null where none begins or ends in it. */
function lastExtent(text: string): boolean | null {
  let isOpen: boolean | null = null;
  for (const [, end, attributes] of text.matchAll(EXTENT)) isOpen = end === '' && !attributes?.endsWith('/');
  return isOpen;
}
