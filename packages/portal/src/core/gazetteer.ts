/** Search by name among all municipalities of the country, those with data first; what to say where there is none. */
import { compareTexts } from '@citymodel/base';
import { foldRomaji, kanaOf, romajiOf } from 'citymodel-server/shared';
import { errorsAllowed, errorsBetween } from './spelling.ts';
import type { SummaryCity } from './summary.ts';

/** Code, name, reading, and of municipalities longitude and latitude; see `packages/portal/tables.ts`. */
export type AreaEntry = [code: string, name: string, reading: string, lng?: number, lat?: number];

/** An area that a text may mean. */
export interface Match {
  code: string;
  name: string;
  romaji: string;
  /** What there is, of a ward that of its city; null for an area without data. */
  city: SummaryCity | null;
  /**
   * How well the text fits: 0 the whole name, 1 its beginning, 2 the beginning of a part of it; 3 a longer text begins
   * with the name, 4 and more the name with an error or two.
   */
  rank: number;
}

interface Searchable {
  code: string;
  name: string;
  romaji: string;
  /** The name and its readings in one script each, whole and from where a word of it begins. */
  whole: string[];
  parts: string[];
  lng: number | null;
  lat: number | null;
}

/** Text for comparison: width, case, katakana and hiragana are the same. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[\s　]+/g, '')
    .replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

/** A text as names are compared, and as Latin letters where it is written in them. */
function foldBoth(typed: string): { text: string; latin: string | null } {
  const text = fold(typed);
  return { text, latin: /^[\p{Script=Latin}\d'’.-]+$/u.test(text) ? foldRomaji(text) : null };
}

/** Rank of a name with one error. */
const SIMILAR = 4;

/** Areas that are made searchable at once, some milliseconds on a slow machine. */
const SLICE = 25;

export class Places {
  readonly #areas = new Map<string, Searchable>();
  #cities: ReadonlyMap<string, SummaryCity>;
  /** Cities whose data covers a ward, by its code. */
  #around: ReadonlyMap<string, SummaryCity>;

  constructor(entries: readonly AreaEntry[], cities: readonly SummaryCity[]) {
    this.#cities = new Map(cities.map((city) => [city.code, city]));
    this.#around = citiesOfWards(cities);
    this.#addEntries(entries);
    this.#addOthers(cities);
  }

  /** The same in slices, between which the page answers keys. */
  static async inSlices(entries: readonly AreaEntry[], cities: readonly SummaryCity[]): Promise<Places> {
    const places = new Places([], []);
    places.#cities = new Map(cities.map((city) => [city.code, city]));
    places.#around = citiesOfWards(cities);
    for (let from = 0; from < entries.length; from += SLICE) {
      places.#addEntries(entries.slice(from, from + SLICE));
      await new Promise((resolve) => setTimeout(resolve));
    }
    places.#addOthers(cities);
    return places;
  }

  #addEntries(entries: readonly AreaEntry[]): void {
    for (const [code, name, reading, lng = null, lat = null] of entries) {
      const romaji = code === '13100' ? 'tokyo23-ku' : romajiOf(reading);
      this.#add({ code, name, romaji, kana: kanaOf(reading), lng, lat });
    }
  }

  #dataOf(code: string): SummaryCity | null {
    return this.#cities.get(code) ?? this.#around.get(code) ?? null;
  }

  /** Municipalities that the table lacks. */
  #addOthers(cities: readonly SummaryCity[]): void {
    for (const { code, name, romaji, kana } of cities) {
      if (!this.#areas.has(code)) {
        this.#add({ code, name, romaji: romaji ?? '', kana: kana ?? '', lng: null, lat: null });
      }
    }
  }

  /** Areas that a text may mean, by rank, then those with data, then by code. At most `most`. */
  find(typed: string, most: number): Match[] {
    const { text, latin } = foldBoth(typed);
    if (text === '') return [];
    return this.#ranked((area) => rankOf(area, text, latin), most);
  }

  /** Areas whose name begins nearly like a text that no area has: those with the fewest errors first. */
  similar(typed: string, most: number): Match[] {
    const { text, latin } = foldBoth(typed);
    const letters = latin ?? text;
    const allowed = errorsAllowed(letters.length);
    if (allowed === 0) return [];
    return this.#ranked(({ whole }) => {
      const errors = Math.min(...whole.map((name) => errorsBetween(letters, name, allowed)));
      return errors <= allowed ? SIMILAR + errors - 1 : null;
    }, most);
  }

  /** Areas with a rank, those with data first among equals, then by code. */
  #ranked(rankOf: (area: Searchable) => number | null, most: number): Match[] {
    const matches: Match[] = [];
    for (const area of this.#areas.values()) {
      const rank = rankOf(area);
      if (rank === null) continue;
      const city = this.#dataOf(area.code);
      matches.push({ code: area.code, name: area.name, romaji: area.romaji, city, rank });
    }
    return matches
      .sort(
        (a, b) =>
          a.rank - b.rank ||
          Number(a.city === null) - Number(b.city === null) ||
          // A prefecture before what lies in it.
          a.code.length - b.code.length ||
          sizeOf(a.name) - sizeOf(b.name) ||
          compareTexts(a.code, b.code),
      )
      .slice(0, most);
  }

  /** The area whose name a longer text begins with, such as 大阪 for 大阪駅; the longest name wins. */
  begins(typed: string): Match | null {
    const text = fold(typed);
    let best = null as { match: Match; length: number } | null;
    for (const { code, name, romaji, whole } of this.#areas.values()) {
      const length = Math.max(
        0,
        ...whole.filter((part) => part.length > 1 && text.startsWith(part)).map((part) => part.length),
      );
      const known = best?.length ?? 0;
      const isBetter =
        length > known || (length === known && best !== null && sizeOf(name) < sizeOf(best.match.name));
      if (isBetter) {
        const city = this.#dataOf(code);
        best = { match: { code, name, romaji, city, rank: 3 }, length };
      }
    }
    return best?.match ?? null;
  }

  /** The centre of a municipality, degrees; null where the table has none. */
  centre(code: string): [lng: number, lat: number] | null {
    const { lng, lat } = this.#areas.get(code) ?? { lng: null, lat: null };
    return lng === null || lat === null ? null : [lng, lat];
  }

  /**
   * Where an area lies: its data, else its centre; of a ward that of its city, of a prefecture the middle of its
   * municipalities; degrees.
   */
  whereIs(code: string): [lng: number, lat: number] | null {
    const { bbox = null } = this.#cities.get(code) ?? {};
    if (bbox !== null) return middle(bbox);
    const area = this.#areas.get(code);
    if (area?.lng != null && area.lat != null) return [area.lng, area.lat];
    const around = [...this.#areas.values()].filter(
      (other) => other.lng !== null && other.code.startsWith(code.slice(0, 2)),
    );
    if (around.length === 0) return null;
    // Wards have no centre of their own; their codes follow that of their city.
    const city = area?.name.endsWith('区') ? around.findLast((other) => other.code < code) : undefined;
    return city !== undefined
      ? [city.lng!, city.lat!]
      : [median(around.map(({ lng }) => lng!)), median(around.map(({ lat }) => lat!))];
  }

  /** The municipalities with data whose middle is nearest to a place. */
  nearest([lng, lat]: readonly [number, number], most: number): SummaryCity[] {
    const squeeze = Math.cos((lat * Math.PI) / 180);
    const distance = ({ bbox }: SummaryCity) => {
      const [x, y] = middle(bbox!);
      return Math.hypot((x - lng) * squeeze, y - lat);
    };
    return [...this.#cities.values()]
      .filter(({ bbox }) => bbox !== null)
      .sort((a, b) => distance(a) - distance(b))
      .slice(0, most);
  }

  /** An area of the table by its code. */
  named(code: string): { name: string; romaji: string } | null {
    return this.#areas.get(code) ?? null;
  }

  /** Places of all municipalities, for names on the map. */
  *towns(): Generator<{ code: string; name: string; romaji: string; at: [number, number] }> {
    for (const { code, name, romaji, lng, lat } of this.#areas.values()) {
      if (lng !== null && code.length === 5) yield { code, name, romaji, at: [lng, lat!] };
    }
  }

  #add(area: {
    code: string;
    name: string;
    romaji: string;
    kana: string;
    lng: number | null;
    lat: number | null;
  }) {
    const { code, name, romaji, kana, lng, lat } = area;
    if (/未定地$|未確定地$/.test(name)) return;
    const folded = foldRomaji(romaji);
    const stem = foldRomaji(romaji.replace(/-[a-z]+$/, ''));
    const whole = [fold(name), name.replace(/[都府県市区町村]$/, ''), fold(kana), folded, stem];
    const parts = [code];
    const outer = this.#areas.get(code.slice(0, 2));
    if (outer !== undefined && code.length === 5) {
      parts.push(outer.name + name, ...outer.whole.slice(2).map((part, i) => part + whole[i + 2]));
    }
    this.#areas.set(code, {
      code,
      name,
      romaji,
      whole: whole.filter((part) => part !== ''),
      parts,
      lng,
      lat,
    });
  }
}

function citiesOfWards(cities: readonly SummaryCity[]): Map<string, SummaryCity> {
  return new Map(cities.flatMap((city) => city.wards.map((ward) => [ward, city] as const)));
}

/** A city before a town, a town before a village: a person who says Yokohama means the city. */
function sizeOf(name: string): number {
  return Math.max(0, ['市', '区', '町', '村'].indexOf(name.at(-1)!));
}

function rankOf({ whole, parts }: Searchable, text: string, latin: string | null): number | null {
  const is = (candidate: string) => candidate === text || candidate === latin;
  const begins = (candidate: string) =>
    candidate.startsWith(text) || (latin !== null && candidate.startsWith(latin));
  if (whole.some(is)) return 0;
  if (whole.some(begins)) return 1;
  return parts.some(begins) ? 2 : null;
}

function middle([west, south, east, north]: readonly [number, number, number, number]): [number, number] {
  return [(west + east) / 2, (south + north) / 2];
}

/** Of islands far away a mean would know too much. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
