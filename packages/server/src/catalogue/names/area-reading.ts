import { AREAS, type Area, area, isSpecialWard, joinNames, SPECIAL_WARDS_CODE } from './areas.ts';
import { normalizePlaceName } from './normalise-place-name.ts';

/*
 * Area names at the beginning of a text. The larger areas before them may be missing, and the 都府県市区町村 at the
 * end of each: 神奈川県川崎市幸区…, 川崎市幸区…, 幸区…, 川崎….
 */

/** One way to read the beginning of a text as names of areas. */
export interface AreaReading {
  /** The areas named, largest first; the last one is what is meant. */
  chain: Area[];
  /** How much of the text they take, UTF-16 code units. */
  length: number;
  /** True when the last name is written with its suffix. */
  full: boolean;
}

interface Name {
  area: Area;
  full: boolean;
}

/** The names of all areas of the built-in table, and of further ones that a catalogue has. */
export class AreaNames {
  readonly #names = new Map<string, Name[]>();
  readonly #areas = new Map<string, Area>();
  readonly #base: AreaNames | null;
  #longest: number;

  /** Areas that the table lacks, or names by another name. */
  constructor(further: Iterable<Area>, base: AreaNames | null = builtInAreaNames()) {
    this.#base = base;
    this.#longest = base === null ? 0 : base.#longest;
    for (const entry of further) {
      this.#areas.set(entry.code, entry);
      this.#add(entry.name, entry, true);
      const suffix = entry.kind === 'prefecture' ? /[都府県]$/ : /[市区町村]$/;
      const stem = entry.name.replace(suffix, '');
      if (stem !== entry.name && stem !== '') this.#add(stem, entry, false);
      if (entry.code === SPECIAL_WARDS_CODE) {
        for (const alias of ['東京23区', '23区', '特別区']) this.#add(alias, entry, true);
      }
    }
  }

  /**
   * Every way to read the beginning of a normalised text as area names: longest first, and among equally long
   * ones those written with their suffix first. Districts (郡) before towns and villages are passed over.
   */
  read(text: string): AreaReading[] {
    const readings: AreaReading[] = [];
    this.#read(text, [], 0, readings);
    return readings.sort((a, b) => b.length - a.length || Number(b.full) - Number(a.full));
  }

  /** Names from the prefecture down to the area, as in an address. */
  fullName(target: Area): string {
    let name = target.name;
    for (let up = target.parent; up !== null; ) {
      const outer = this.#areas.get(up) ?? area(up);
      // 東京都23区 begins with its prefecture already.
      if (outer !== undefined && !name.startsWith(outer.name)) name = joinNames(outer.name, name);
      up = outer?.parent ?? null;
    }
    return name;
  }

  #read(text: string, chain: Area[], from: number, readings: AreaReading[]): void {
    const outer = chain.at(-1);
    const starts = [from];
    if (outer === undefined || outer.kind === 'prefecture') {
      const district = /^[^市区町村\d]{1,5}?郡/.exec(text.slice(from, from + 6));
      if (district !== null) starts.push(from + district[0].length);
    }
    for (const at of starts) {
      for (let end = Math.min(text.length, at + this.#longest); end > at; end--) {
        for (const { area: found, full } of this.#lookup(text.slice(at, end))) {
          if (outer !== undefined && !isWithin(found, outer)) continue;
          if (at !== from && !/[町村]$/.test(found.name)) continue;
          const reading = { chain: [...chain, found], length: end, full };
          readings.push(reading);
          if (end < text.length) this.#read(text, reading.chain, end, readings);
        }
      }
    }
  }

  #lookup(name: string): Name[] {
    const own = this.#names.get(name) ?? [];
    return this.#base === null ? own : [...own, ...this.#base.#lookup(name)];
  }

  #add(text: string, entry: Area, full: boolean): void {
    const key = normalizePlaceName(text);
    this.#longest = Math.max(this.#longest, key.length);
    const sameName = this.#names.get(key);
    if (sameName === undefined) this.#names.set(key, [{ area: entry, full }]);
    else sameName.push({ area: entry, full });
  }
}

/**
 * The names of the built-in table. Land that belongs to no municipality is in it for the sake of its code, and
 * has no name that anybody would look for.
 */
export function builtInAreaNames(): AreaNames {
  builtIn ??= new AreaNames(
    [...AREAS.values()].filter(({ name }) => !/未定地$|未確定地$/.test(name)),
    null,
  );
  return builtIn;
}

let builtIn: AreaNames | null = null;

function isWithin(inner: Area, outer: Area): boolean {
  if (outer.kind === 'prefecture') return inner.kind !== 'prefecture' && inner.code.startsWith(outer.code);
  return inner.parent === outer.code || (outer.code === SPECIAL_WARDS_CODE && isSpecialWard(inner.code));
}
