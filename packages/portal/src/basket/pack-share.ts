import type { PackStatus } from '../core/interface-types.ts';

/**
 * How much of the bar of a pack is full, from 0 to 1. `last` is the last answer that said how far the work is, null
 * before the first: it never stands beside "Ready".
 */
export function shareOf(status: PackStatus['status'], last: Pick<PackStatus, 'progress'> | null): number {
  return status === 'succeeded' ? 1 : status === 'accepted' ? 0 : (last?.progress ?? 0);
}
