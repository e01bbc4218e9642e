/**
 * When several servers show a change of the catalogue: the same moment for all, by the times that the database has
 * noted. Nothing but these times decides, so that servers which never talk to each other agree.
 *
 * A change after a quiet time is a moment itself. Of a burst, the moments are its end, and each full `gatherMs` of the
 * clock while it lasts:
 *
 *   changes    |           | || | |    || |
 *   moments    ^           ^      gather^    ^ quiet again
 */
import type { DatedState } from '@citymodel/store';

export interface Gathering {
  /** Milliseconds without a change after which a burst is over. */
  quietMs: number;
  /** While a burst lasts, every so many milliseconds of the clock are a moment; 0: none. */
  gatherMs: number;
  /**
   * Milliseconds after which a change that was noted at a time is surely there to be read: it is noted before it is
   * committed.
   */
  settleMs: number;
}

export interface Moment {
  /** The state that is shown from then on. */
  state: DatedState;
  /** By the clock of the database, ms since 1970. */
  at: number;
}

/**
 * The next moment after the first of some states, which is shown; null where there is none yet. The states have no
 * gaps. One without a time, or with a time that has not come, is a moment at once: an older program made it, or the
 * clock of the database was set back.
 */
export function nextMoment(
  states: readonly DatedState[],
  clock: number,
  { quietMs, gatherMs, settleMs }: Gathering,
): Moment | null {
  for (let i = 1; i < states.length; i++) {
    const state = states[i]!;
    const { changedAt } = state;
    if (changedAt === null || changedAt > clock)
      return { state: states.at(-1)!, at: Number.NEGATIVE_INFINITY };
    const before = states[i - 1]!.changedAt;
    if (before === null || before > changedAt || changedAt - before >= quietMs)
      return { state, at: changedAt };
    const next = states[i + 1]?.changedAt ?? Number.POSITIVE_INFINITY;
    const full = gatherMs === 0 ? Number.POSITIVE_INFINITY : Math.ceil(changedAt / gatherMs) * gatherMs;
    const at = Math.min(changedAt + quietMs, full);
    // What comes at that very time belongs to what is gathered.
    if (next <= at) continue;
    return clock >= at + settleMs ? { state, at } : null;
  }
  return null;
}

/** The last moment that came `leadMs` ago or earlier; null where the first of the states is still shown. */
export function lastMoment(
  states: readonly DatedState[],
  clock: number,
  gathering: Gathering & { leadMs: number },
): Moment | null {
  let last: Moment | null = null;
  for (let rest = states; ; rest = rest.slice(rest.indexOf(last.state))) {
    const moment = nextMoment(rest, clock, gathering);
    if (moment === null || moment.at + gathering.leadMs > clock) return last;
    last = moment;
  }
}
