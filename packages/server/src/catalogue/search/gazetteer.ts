import { type Bounds, boundsIntersect, unionBounds } from '@citymodel/geo';
import type { CatalogueStore, PackageRow, PlaceRow } from '@citymodel/store';
import { AreaNames, type AreaReading } from '../names/area-reading.ts';
import { areasRead } from '../names/area-readings.ts';
import { type Area, area } from '../names/areas.ts';
import { normalizePlaceName } from '../names/normalise-place-name.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** What a search needs to know of the catalogue. */
export type SearchSnapshot = Pick<
  Snapshot,
  'version' | 'packages' | 'cityGml' | 'packageByNo' | 'boundsOf' | 'cityAround'
>;

/** A place that a name may mean. */
export interface PlaceMatch {
  /** Name for people, from the largest area down. */
  label: string;
  /** Area codes that say exactly what is meant; empty for a place known by its bounds alone. */
  codes: string[];
  /** Where it is; a point has no area. Null only where `codes` tell and the catalogue knows no extent. */
  bounds: Bounds | null;
  /** True when the whole name was understood, but for a house number. */
  complete: boolean;
}

/** One way to understand a name: how much of it, as what. The greatest `taken` wins, then the least `rank`. */
interface Hypothesis {
  taken: number;
  rank: number;
  matches(): PlaceMatch[];
}

/** Longest part of a name that is looked up as a place. */
const LONGEST_PLACE = 40;

/** Finds places by the names that the catalogue itself holds: of areas, of the towns of addresses, of buildings. */
export class Gazetteer {
  readonly #snapshot: () => SearchSnapshot;
  readonly #store: Pick<CatalogueStore, 'places'>;
  readonly #indexes = new WeakMap<SearchSnapshot, AreaIndex>();

  /** `snapshot` gives the catalogue as it is now. */
  constructor(snapshot: () => SearchSnapshot, store: Pick<CatalogueStore, 'places'>) {
    this.#snapshot = snapshot;
    this.#store = store;
  }

  /**
   * The places that a name may mean: an area, a town or a building, with or without the areas that it lies in
   * before it. The reading that takes most of the name wins; several places of one name are all given, unless
   * areas in the name tell them apart or one contains another. An empty list when nothing is known by that name.
   *
   * The end of the name may remain only after something that an address would go on from: an area written
   * with its suffix, a town. So 沼津市大塚999 may mean 沼津市, but 東京駅 does not mean 東京都. An area alone may also be named in
   * kana or Latin letters.
   */
  async find(name: string): Promise<PlaceMatch[]> {
    const text = normalizePlaceName(name);
    if (text === '') return [];
    const index = this.#index();
    const readings = [...index.names.read(text), ...readInOtherScripts(name, text)].filter((reading) =>
      index.holds(reading.chain.at(-1)!.code),
    );
    const hypotheses = [
      ...areaHypotheses(text, readings, index),
      ...(await this.#placeHypotheses(text, readings, index)),
    ];
    hypotheses.sort((a, b) => b.taken - a.taken || a.rank - b.rank);
    const best = hypotheses[0];
    if (best === undefined) return [];
    return hypotheses
      .filter((hypothesis) => hypothesis.taken === best.taken && hypothesis.rank === best.rank)
      .flatMap((hypothesis) => hypothesis.matches());
  }

  async #placeHypotheses(
    text: string,
    readings: readonly AreaReading[],
    index: AreaIndex,
  ): Promise<Hypothesis[]> {
    const starts = new Map<number, AreaReading[]>([[0, []]]);
    for (const reading of readings) {
      if (reading.length < text.length) {
        starts.set(reading.length, [...(starts.get(reading.length) ?? []), reading]);
      }
    }
    const keys = new Set<string>();
    for (const start of starts.keys()) for (const key of candidates(text, start)) keys.add(key.name);
    const rows = Map.groupBy(await this.#store.places([...keys]), (row) => row.name);
    const hypotheses: Hypothesis[] = [];
    for (const [start, areas] of starts) {
      for (const { name, taken, end } of candidates(text, start)) {
        const rest = end ? '' : text.slice(start + name.length);
        const complete = rest === '' || /^\d/.test(rest);
        const found = (rows.get(name) ?? []).filter(
          (row) =>
            (end ? row.kind === 'building' : complete || (row.kind === 'town' && /[町村目]$/.test(name))) &&
            (start === 0 || areas.some((reading) => index.liesIn(row, reading.chain.at(-1)!))),
        );
        if (found.length === 0) continue;
        const matches = (): PlaceMatch[] => index.placeMatches(found, complete);
        hypotheses.push({ taken, rank: start === 0 ? 2 : 1, matches });
      }
    }
    return hypotheses;
  }

  #index(): AreaIndex {
    const snapshot = this.#snapshot();
    let index = this.#indexes.get(snapshot);
    if (index === undefined) {
      index = new AreaIndex(snapshot);
      this.#indexes.set(snapshot, index);
    }
    return index;
  }
}

/** A whole name in kana or Latin letters. */
function readInOtherScripts(name: string, text: string): AreaReading[] {
  return areasRead(name).map((code) => ({ chain: [area(code)!], length: text.length, full: false }));
}

function areaHypotheses(text: string, readings: readonly AreaReading[], index: AreaIndex): Hypothesis[] {
  const usable = readings.filter((reading) => reading.full || reading.length === text.length);
  return usable
    .filter((reading) => !usable.some((other) => other.length === reading.length && contains(other, reading)))
    .map((reading) => {
      const complete = reading.length === text.length;
      return {
        taken: reading.length,
        rank: complete ? 0 : 3,
        matches: () => [index.areaMatch(reading.chain.at(-1)!, complete)],
      };
    });
}

/** True when one reading means an area around the other's: 川崎 is the city, which contains the ward 川崎区. */
function contains(outer: AreaReading, inner: AreaReading): boolean {
  const [outerArea, innerArea] = [outer.chain.at(-1)!, inner.chain.at(-1)!];
  if (outerArea.code === innerArea.code) return outer.chain.length > inner.chain.length;
  return (
    innerArea.parent === outerArea.code ||
    (outerArea.kind === 'prefecture' && innerArea.code.startsWith(outerArea.code))
  );
}

/**
 * Parts of a text that may be a place's name: those that begin at `start`. After an area also those that end where the
 * text does, for buildings, because the town before them need not be known.
 */
function* candidates(text: string, start: number): Generator<{ name: string; taken: number; end: boolean }> {
  const rest = text.slice(start, start + LONGEST_PLACE);
  for (let length = 1; length <= rest.length; length++) {
    yield { name: rest.slice(0, length), taken: start + length, end: false };
  }
  if (start === 0) return;
  for (let from = Math.max(start + 1, text.length - LONGEST_PLACE); from < text.length - 2; from++) {
    yield { name: text.slice(from), taken: start + text.length - from, end: true };
  }
}

/** The areas of one snapshot of the catalogue, with the names that its packages give them. */
class AreaIndex {
  readonly names: AreaNames;
  readonly #snapshot: SearchSnapshot;
  readonly #areas = new Map<string, Area>();

  constructor(snapshot: SearchSnapshot) {
    this.#snapshot = snapshot;
    for (const row of snapshot.packages) {
      this.#note(row.prefCode, row.pref, 'prefecture', null);
      if (row.cityCode.length === 5) this.#note(row.cityCode, row.city, 'municipality', row.prefCode);
      if (row.wardCode !== null) this.#note(row.wardCode, row.ward ?? row.wardCode, 'ward', row.cityCode);
    }
    this.names = new AreaNames(
      [...this.#areas.values()].filter((entry) => area(entry.code)?.name !== entry.name),
    );
  }

  /** True when the catalogue has data of an area, or of the city that it is a ward of. */
  holds(code: string): boolean {
    return this.#areas.has(code) || this.#areas.has(this.#snapshot.cityAround(code) ?? '');
  }

  areaMatch(found: Area, complete: boolean): PlaceMatch {
    return {
      label: this.names.fullName(this.#areas.get(found.code) ?? found),
      codes: [found.code],
      bounds: this.#snapshot.boundsOf(found.code),
      complete,
    };
  }

  /** One match per municipality and name: its years and wards hold the same places. */
  placeMatches(rows: readonly PlaceRow[], complete: boolean): PlaceMatch[] {
    const matches = new Map<string, PlaceMatch>();
    for (const row of rows) {
      const pkg = this.#snapshot.packageByNo(row.packageNo);
      if (pkg === undefined) continue;
      const key = `${pkg.cityCode}/${row.name}`;
      const bounds = unionBounds(matches.get(key)?.bounds ?? null, row.bounds);
      const city =
        pkg.cityCode === pkg.prefCode || pkg.city.startsWith(pkg.pref) ? pkg.city : pkg.pref + pkg.city;
      matches.set(key, { label: city + row.name, codes: [], bounds, complete });
    }
    return [...matches.values()];
  }

  /** True when a place may lie in an area: its package is of that area, or of the city around it and meets it. */
  liesIn(row: PlaceRow, outer: Area): boolean {
    const pkg = this.#snapshot.packageByNo(row.packageNo);
    if (pkg === undefined) return false;
    if (codesOf(pkg).includes(outer.code)) return true;
    if (this.#snapshot.cityAround(outer.code) !== pkg.cityCode || pkg.wardCode !== null) return false;
    const bounds = this.#snapshot.boundsOf(outer.code);
    return bounds === null || boundsIntersect(bounds, row.bounds);
  }

  #note(code: string, name: string, kind: Area['kind'], parent: string | null): void {
    if (this.#areas.has(code)) return;
    // A special ward keeps the place in the hierarchy that the table gives it.
    const builtIn = area(code);
    this.#areas.set(code, builtIn === undefined ? { code, name, kind, parent } : { ...builtIn, name });
  }
}

function codesOf(row: PackageRow): string[] {
  return row.wardCode === null ? [row.prefCode, row.cityCode] : [row.prefCode, row.cityCode, row.wardCode];
}
