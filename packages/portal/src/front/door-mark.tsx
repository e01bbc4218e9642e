/** A small drawing for each door, in the colours of the page. */
import type { Question } from './doors.ts';

/** Lines in a box of 48 by 24. */
const LINES: Record<Question | 'everything', string> = {
  city: 'M2 22h44M6 22V10h8v12M14 22V4h9v18M23 22v-8h8v8M31 22V8h10v14M17 8h3M17 12h3M17 16h3M34 12h4M34 16h4',
  water: 'M2 15q4-4 8 0t8 0 8 0 8 0 8 0M2 21q4-4 8 0t8 0 8 0 8 0 8 0M16 10V5l7-4 7 4v5',
  wood: 'M6 22V11l10-8 10 8v11zM13 22v-7h6v7M30 22v-8l7-6 7 6v8z',
  years: 'M4 22V10h12v12zM28 22V10h12v12M28 10V3h12v7M20 16h5M22 13l3 3-3 3',
  everything: 'M34 2l6 3-3 5-5-2zM31 11l2 4-7 5-10 2-4-1 10-4zM9 19l-3 3',
};

export function DoorMark({ question }: { question: keyof typeof LINES }) {
  return (
    <svg class="door-mark" viewBox="0 0 48 24" aria-hidden="true">
      <path d={LINES[question]} />
    </svg>
  );
}
