/** Prefectures, municipalities and wards as GraphQL sees them. */
import { compareTexts } from '@citymodel/base';
import { readingWords } from '../catalogue/names/area-readings.ts';
import { joinNames } from '../catalogue/names/areas.ts';
import { planarCrsOf } from './planar-crs.ts';
import { searchable } from './search-text.ts';

export type AreaType = 'PREFECTURE' | 'CITY' | 'WARD';

const TYPE_NAMES = { PREFECTURE: 'Prefecture', CITY: 'City', WARD: 'Ward' } as const;
const ID_PREFIXES = { PREFECTURE: 'p', CITY: 'c', WARD: 'w' } as const;

/** Properties have the names of the fields that they answer; those that take arguments have resolvers instead. */
export class AreaNode {
  readonly __typename: 'Prefecture' | 'City' | 'Ward';
  readonly id: string;
  readonly type: AreaType;
  readonly code: string;
  name: string;
  /** Null for a prefecture. */
  readonly parent: AreaNode | null;
  /** `[west, south, east, north]` in degrees. */
  bbox: readonly number[] | null = null;
  /** Areas one step below that have anything, by code. */
  children: AreaNode[] = [];
  /** True when there is a package of this area or of one below it. */
  hasData = false;
  /** Id of the newest CityGML of exactly this area. */
  citygmlId: string | null = null;
  /** Year of the package that gave the name. */
  nameYear = 0;
  #words: string | null = null;

  constructor(type: AreaType, code: string, name: string, parent: AreaNode | null) {
    this.__typename = TYPE_NAMES[type];
    this.id = `${ID_PREFIXES[type]}_${code}`;
    this.type = type;
    this.code = code;
    this.name = name;
    this.parent = parent;
  }

  get parentId(): string | null {
    return this.parent?.id ?? null;
  }

  get prefecture(): AreaNode {
    return this.parent === null ? this : this.parent.prefecture;
  }

  get prefectureId(): string {
    return this.prefecture.id;
  }

  get prefectureCode(): string {
    return this.prefecture.code;
  }

  /** The city itself, or that of a ward; null for a prefecture. */
  get city(): AreaNode | null {
    return this.type === 'WARD' ? this.parent : this.type === 'CITY' ? this : null;
  }

  get cityId(): string | null {
    return this.city?.id ?? null;
  }

  get cityCode(): string | null {
    return this.city?.code ?? null;
  }

  get planarCrsEpsgCode(): string | null {
    return planarCrsOf(this.code);
  }

  /** Names from the prefecture down, as in an address: 神奈川県横浜市鶴見区. */
  get fullName(): string {
    return this.parent === null ? this.name : joinNames(this.parent.fullName, this.name);
  }

  /** What search tokens are looked for in. */
  get words(): string {
    this.#words ??= searchable(`${this.fullName} ${this.code} ${readingWords(this.code)}`);
    return this.#words;
  }
}

/** Codes as people sort them, a municipality before the ward of the same code. */
export function compareAreas(a: AreaNode, b: AreaNode): number {
  return compareTexts(a.code, b.code) || compareTexts(a.id, b.id);
}
