/** What reading features may take: bounds that all requests of a service share, and counts of each. */

import { type Caller, ConcurrencyLimit, type Slices, Turns } from '@citymodel/base';
import { type RepeatAllowance, repeatAllowance } from '@citymodel/citygml';
import { RequestBudget } from '../base/request-budget.ts';

export interface WorkLimits {
  /** Text of a feature up to which its geometry is read, bytes. In memory it takes some ten times as much. */
  maxGeometryBytes: number;
  /** Features, files and list entries that one request may have looked at, times the parts of its region. */
  maxItems: number;
  /** Text of features that one request may have read, bytes. */
  maxReadBytes: number;
}

/** Text of features from which records are made at the same time in the whole process, bytes. */
const TEXT_AT_ONCE = 12 << 20;
/** Text and records that one request has in memory before they are sent, bytes. */
const MAX_HELD = 64 << 20;

/** One request's share. */
export interface FeatureWork {
  readonly slices: Slices;
  readonly budget: RequestBudget;
  readonly limits: WorkLimits;
  /** References within features that multiply. */
  readonly repeats: RepeatAllowance;
  /** Weighed by bytes of text. */
  readonly batches: ConcurrencyLimit;
  /** For features that take many turns: one at a time, because each takes tens of megabytes. */
  readonly large: ConcurrencyLimit;
}

/** Shared by all requests of a service. */
export class FeatureWorkshop {
  readonly #limits: WorkLimits;
  readonly #turns = new Turns();
  readonly #batches = new ConcurrencyLimit(TEXT_AT_ONCE);
  readonly #large = new ConcurrencyLimit(1);

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /** The share of a request, which ends when its caller has gone away. `advice` says how to ask for less. */
  begin(caller: Caller, advice: string): FeatureWork {
    const { maxItems: items, maxReadBytes: bytesRead } = this.#limits;
    return {
      slices: this.#turns.slices(caller),
      budget: new RequestBudget({ items, bytesRead, bytesHeld: MAX_HELD }, advice),
      limits: this.#limits,
      repeats: repeatAllowance(),
      batches: this.#batches,
      large: this.#large,
    };
  }
}
