/** What our own rules have in common: they warn, never decide, and are in no official table. */
import type { CheckFacts } from '../../check.ts';

export const OWN = {
  severity: 'warning',
  specs: [4, 6],
  folders: null,
  table: null,
  summary: null,
  isOwn: true,
} satisfies Partial<CheckFacts>;
