/** What of the bodies of one file was drawn: each in every output that it belongs to, and its faults told once. */
import { Fate, type PartAccountBuilder } from '../account/part-account.ts';
import { addTo } from '../account/tally.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { IssueCounter } from '../read/issue-counter.ts';

/** What triangulating a body came to; polygons and square metres. */
export interface Drawn {
  polygons: number;
  area: number;
  tiny: number;
  tinyArea: number;
  /** Left out because their rings cross. */
  crossed: number;
  crossedArea: number;
  /** Drawn although they do. */
  crossing: number;
  bent: number;
}

/** Told of each body that a tile shows, or of a part of one. `source`: of the shown feature. */
export type DrawnSink = (source: number, id: string, drawn: Drawn) => void;

/** For tiles that others replace, which show again what the leaves show. */
export const NO_SINK: DrawnSink = () => {};

/** Stands for the source of a body that is made of others, and not accounted for. */
export const MADE = -1;

/** Levels of detail that a number of a body has room for. */
const LODS = 5;

/** The record of a body by its number. */
export function recordOf(source: number): number {
  return Math.floor(source / LODS);
}

/** What of it a tally of surfaces has. */
type Counted = Omit<Drawn, 'crossing' | 'bent'>;

/** Polygons of one or several features that tiles show together, some in each. */
interface Together {
  features: readonly FeatureFacts[];
  lod: number;
  drawn: Counted;
  /** False once an output has shown all of them: others show them again. */
  isOpen: boolean;
}

export class DrawnBodies {
  readonly #account: PartAccountBuilder;
  readonly #issues: IssueCounter;
  readonly #known = new Map<number, Drawn>();
  /** What was not drawn in an output that it belongs to. */
  readonly #missing = new Set<number>();
  /** By their sources. */
  readonly #together = new Map<number, Together>();
  /** Bodies that the output has shown that is being written. */
  #shown = new Set<number>();

  constructor(account: PartAccountBuilder, issues: IssueCounter) {
    this.#account = account;
    this.#issues = issues;
  }

  /** The number of the body of a record at a level of detail. */
  static sourceOf(record: number, lod: number): number {
    return LODS * record + lod;
  }

  /** Counts what goes in: bodies at levels that tiles are made of. */
  claim({ number, type, bodies }: FeatureFacts, lod: number): void {
    const body = bodies[lod];
    if (body == null) return;
    this.#account.fate(number, lod, Fate.claimed);
    const tally = this.#account.surfaces(type, lod);
    tally.in += body.polygons;
    tally.areaIn += body.area;
  }

  /** What is claimed and not drawn, for a reason. */
  lost({ number, type, bodies }: FeatureFacts, lod: number, code: string): void {
    const body = bodies[lod];
    if (body == null) return;
    this.#account.lost(number, lod, code);
    const tally = this.#account.surfaces(type, lod);
    addTo(tally.rest, code, body.polygons);
    addTo(tally.areaRest, code, body.area);
  }

  readonly note: DrawnSink = (source, id, drawn) => {
    const together = this.#together.get(source);
    if (together === undefined) {
      this.#shown.add(source);
      if (this.#known.has(source)) return;
      this.#known.set(source, drawn);
    } else {
      if (!together.isOpen) return;
      for (const what of Object.keys(together.drawn) as Array<keyof Counted>)
        together.drawn[what] += drawn[what];
    }
    if (drawn.tiny > 0) this.#issues.count('POLYGON_TINY', id, '', drawn.tiny);
    const crossed = drawn.crossed + drawn.crossing;
    if (crossed > 0) this.#issues.count('POLYGON_CROSSED', id, '', crossed);
    if (drawn.bent > 0) this.#issues.count('POLYGON_BENT', id, '', drawn.bent);
  };

  /**
   * Ends an output, which should have shown these bodies: what it has not shown stays claimed, which nothing accounts
   * for.
   */
  endOutput(bodies: Iterable<{ facts: FeatureFacts; lod: number }>): void {
    for (const { facts, lod } of bodies) {
      const source = DrawnBodies.sourceOf(facts.record, lod);
      if (!this.#shown.has(source)) this.#missing.add(source);
    }
    this.#shown = new Set();
  }

  /** Settles what became of all claims. `lods`: levels that outputs were made of. */
  settle(features: readonly FeatureFacts[], lods: readonly number[]): void {
    for (const { record, number, type, bodies } of features) {
      for (const lod of lods) {
        const source = DrawnBodies.sourceOf(record, lod);
        const drawn = this.#known.get(source);
        if (bodies[lod] == null || drawn === undefined || this.#missing.has(source)) continue;
        this.#addSurfaces(type, lod, drawn);
        if (drawn.polygons > 0) this.#account.fate(number, lod, Fate.shown);
        else this.#account.lost(number, lod, drawn.crossed > 0 ? 'POLYGON_CROSSED' : 'POLYGON_TINY');
      }
    }
  }

  /**
   * As `claim`, for polygons of features that tiles show together under one number: they count as the first one's type.
   */
  claimTogether(source: number, features: readonly FeatureFacts[], lod: number): void {
    for (const facts of features) this.claim({ ...facts, type: features[0]!.type }, lod);
    const drawn: Counted = { polygons: 0, area: 0, tiny: 0, tinyArea: 0, crossed: 0, crossedArea: 0 };
    this.#together.set(source, { features, lod, drawn, isOpen: true });
  }

  /** Ends an output of a level of detail, which has shown all that is together at it. */
  endTogether(level: number): void {
    for (const together of this.#together.values()) if (together.lod === level) together.isOpen = false;
  }

  /** As `settle`: features are shown when some polygons are that are shown with theirs. */
  settleTogether(): void {
    for (const { features, lod, drawn } of this.#together.values()) {
      this.#addSurfaces(features[0]!.type, lod, drawn);
      for (const { number } of features) {
        if (drawn.polygons > 0) this.#account.fate(number, lod, Fate.shown);
        else this.#account.lost(number, lod, drawn.crossed > 0 ? 'POLYGON_CROSSED' : 'POLYGON_TINY');
      }
    }
  }

  #addSurfaces(type: string, lod: number, drawn: Counted): void {
    const tally = this.#account.surfaces(type, lod);
    tally.out += drawn.polygons;
    tally.areaOut += drawn.area;
    addTo(tally.rest, 'POLYGON_TINY', drawn.tiny);
    addTo(tally.areaRest, 'POLYGON_TINY', drawn.tinyArea);
    addTo(tally.rest, 'POLYGON_CROSSED', drawn.crossed);
    addTo(tally.areaRest, 'POLYGON_CROSSED', drawn.crossedArea);
  }
}
