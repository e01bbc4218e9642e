/** What of a feature is not in tiles, counted where it is read: gaps, implausible surfaces, broken polygons. */
import type { LodGeometry, XmlElement } from '@citymodel/citygml';
import { surfacesOf } from '@citymodel/citygml';
import type { PartAccountBuilder } from '../account/part-account.ts';
import { addTo } from '../account/tally.ts';
import { unreadPolygons } from './bodies.ts';
import type { IssueCode, IssueCounter } from './issue-counter.ts';

/** Why there is nothing of a feature at a level of detail. */
export interface Gaps {
  isUnplaced: boolean;
  isFlat: boolean;
  isBroken: boolean;
  /** Why some of it was left out as implausible. */
  implausible: IssueCode | undefined;
  /** It is terrain in a form that is not converted. */
  isOtherRelief: boolean;
  /** It refers to something outside of it. */
  refers: boolean;
}

/** Counts losses into the account of a file. */
export class Losses {
  readonly #account: PartAccountBuilder;
  readonly #issues: IssueCounter;
  /** Levels of detail that tiles are made of. */
  readonly #tiled: readonly number[];

  constructor(account: PartAccountBuilder, issues: IssueCounter, tiled: readonly number[]) {
    this.#account = account;
    this.#issues = issues;
    this.#tiled = tiled;
  }

  /** Why there is nothing of the feature at levels that have no body; levels that have one are claimed later. */
  noteGaps(number: number, gaps: Gaps): void {
    const { isUnplaced, isFlat, isBroken, implausible, isOtherRelief, refers } = gaps;
    const account = this.#account;
    const code = isUnplaced
      ? 'CRS_UNKNOWN'
      : isFlat
        ? 'FLAT_DATA'
        : isBroken
          ? 'POLYGON_BROKEN'
          : (implausible ?? (isOtherRelief ? 'RELIEF_UNCONVERTED' : refers ? 'REFERENCE_UNRESOLVED' : null));
    if (code === null) return;
    for (const lod of this.#tiled) if (account.isOpen(number, lod)) account.lost(number, lod, code);
  }

  /** Counts surfaces that were left out as implausible, at each level of detail that has them. */
  noteLeft(type: string, geometries: readonly LodGeometry[], left: ReadonlyMap<XmlElement, IssueCode>): void {
    if (left.size === 0) return;
    for (const lod of this.#tiled) {
      const own = geometries.filter((geometry) => geometry.role === 'body' && geometry.lod === lod);
      const tally = this.#account.surfaces(type, lod);
      for (const element of new Set(own.flatMap(surfacesOf).map((surface) => surface.element))) {
        const code = left.get(element);
        if (code === undefined) continue;
        tally.in++;
        addTo(tally.rest, code, 1);
      }
    }
  }

  /**
   * Counts polygons that cannot be read; true when there are some. Those in systems that are not known have an issue of
   * their own.
   */
  noteBroken(
    feature: XmlElement,
    geometries: readonly LodGeometry[],
    unplaced: ReadonlySet<XmlElement>,
    id: string,
  ): boolean {
    let broken = 0;
    for (const { polygon, level } of unreadPolygons(feature, geometries)) {
      const code = unplaced.has(polygon) ? 'CRS_UNKNOWN' : 'POLYGON_BROKEN';
      if (code === 'POLYGON_BROKEN') broken++;
      if (level === null || !this.#tiled.includes(level)) continue;
      const tally = this.#account.surfaces(feature.name, level);
      tally.in++;
      addTo(tally.rest, code, 1);
    }
    if (broken > 0) this.#issues.count('POLYGON_BROKEN', id, '', broken);
    return broken > 0;
  }
}
