import type { Place } from './summary.ts';

/** Kinds of references to other files. */
export type ReferenceKind = 'codeSpaces' | 'images' | 'hrefs' | 'schemas';

/** References of one kind beyond this are not listed: no honest file has as many. */
const MAX_REFERENCES = 100_000;
/** Characters of one reference, and of all of a file together. */
export const MAX_REFERENCE_LENGTH = 2_000;
const MAX_REFERENCE_CHARACTERS = 20_000_000;
const MAX_AREA_CODES = 2_000;
/** Longest name that is a place's. */
const MAX_NAME = 100;
/** Names that one feature contributes. */
const MAX_NAMES_PER_FEATURE = 20;

/** What a file refers to and names, each once, in the order of appearance. */
export class Inventory {
  private readonly references: Record<ReferenceKind, Set<string>> = {
    codeSpaces: new Set(),
    images: new Set(),
    hrefs: new Set(),
    schemas: new Set(),
  };
  private characters = 0;
  /** References that were longer than any path; none of them is listed. */
  tooLong = 0;
  /** References that were left out because there were too many. */
  tooMany = 0;
  private readonly codes = new Set<string>();
  private readonly places = new Map<string, Place>();
  private readonly placeLimit: number;
  private pending: Array<{ name: string; kind: Place['kind'] }> = [];

  constructor(placeLimit: number) {
    this.placeLimit = placeLimit;
  }

  /** Notes a reference as written, unless it is empty, `#local` or has a scheme (`http:`, `urn:`). */
  refer(kind: ReferenceKind, reference: string): void {
    const set = this.references[kind];
    if (set.has(reference)) return;
    if (reference.length > MAX_REFERENCE_LENGTH) {
      this.tooLong++;
      return;
    }
    const trimmed = reference.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('//')) return;
    if (/^[a-z][a-z0-9+.-]+:/i.test(trimmed)) return;
    if (set.size >= MAX_REFERENCES || this.characters > MAX_REFERENCE_CHARACTERS) {
      this.tooMany++;
      return;
    }
    this.characters += reference.length;
    set.add(reference);
  }

  /** Notes the relative locations of `xsi:schemaLocation`: pairs of namespace and location. */
  schemaLocations(text: string): void {
    const words = text.trim().split(/\s+/);
    for (let i = 1; i < words.length; i += 2) this.refer('schemas', words[i]!);
  }

  /** Notes a municipality code; anything but 5 digits is none. */
  areaCode(text: string): void {
    const code = text.trim();
    if (/^\d{5}$/.test(code) && this.codes.size < MAX_AREA_CODES) this.codes.add(code);
  }

  /** A name of the feature that is being read. Numbers, codes and stand-ins for an unknown name are none. */
  name(kind: Place['kind'], text: string): void {
    const name = text.replace(/\s+/g, ' ').trim();
    if (name === '' || name.length > MAX_NAME || this.pending.length >= MAX_NAMES_PER_FEATURE) return;
    if (kind === 'building' && isPlaceholder(name)) return;
    this.pending.push({ name, kind });
  }

  /** Ends a feature: its names are where it is. `box`: west, south, east, north …, null for none. */
  endFeature(box: Float64Array | null): void {
    if (this.pending.length === 0) return;
    if (box !== null) {
      for (const { name, kind } of this.pending) {
        const key = `${kind} ${name}`;
        const place = this.places.get(key);
        const [west, south, east, north] = box as unknown as [number, number, number, number];
        if (place === undefined) {
          if (this.places.size < this.placeLimit)
            this.places.set(key, { name, kind, bounds: { west, south, east, north } });
        } else {
          const { bounds } = place;
          bounds.west = Math.min(bounds.west, west);
          bounds.south = Math.min(bounds.south, south);
          bounds.east = Math.max(bounds.east, east);
          bounds.north = Math.max(bounds.north, north);
        }
      }
    }
    this.pending = [];
  }

  result(): { references: Record<ReferenceKind, string[]>; areaCodes: string[]; places: Place[] } {
    const { codeSpaces, images, hrefs, schemas } = this.references;
    return {
      references: {
        codeSpaces: [...codeSpaces],
        images: [...images],
        hrefs: [...hrefs],
        schemas: [...schemas],
      },
      areaCodes: [...this.codes],
      places: [...this.places.values()],
    };
  }
}

/** True for what files write where a building has no name: codes, numbers, dashes, 不明. */
function isPlaceholder(name: string): boolean {
  return (
    /^[\p{N}\p{P}\p{S}\s_]*$/u.test(name) ||
    /^[A-Za-z]{0,8}[-_]?[0-9a-f-]{4,}$/i.test(name) ||
    /^(不明|名称不明|無名|なし|無し|未設定|未定|null|none|unknown|n\/a)$/i.test(name)
  );
}
