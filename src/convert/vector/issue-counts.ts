/** Issues of vector tiles, one of each kind for a file, with the first feature that has it and how many do. */
import type { ConvertIssue } from '../part-maker.ts';
import { ISSUE_TEXTS } from '../read/issue-counter.ts';

const TEXTS = {
  CRS_UNKNOWN: {
    severity: 'error',
    message: 'The coordinate reference system of the file, or of geometry in it, is not known.',
    remedy: 'Features and geometry in it are left out. Transform the data to a known system.',
  },
  FEATURE_TOO_LARGE: {
    severity: 'warning',
    message: 'A feature has more than 16 MB of text, which is too large for vector tiles.',
    remedy: 'It is left out of vector tiles. Divide it in the data.',
  },
  GEOMETRY_FAR_OFF: ISSUE_TEXTS.GEOMETRY_FAR_OFF,
  FEATURE_TOO_WIDE: ISSUE_TEXTS.FEATURE_TOO_WIDE,
  TILES_TOO_MANY: {
    severity: 'warning',
    message: 'The features of a file reach over more vector tiles than its text accounts for.',
    remedy: 'The feature is left out of zooms where that is so. Correct its positions, or divide the file.',
  },
  SHAPE_TOO_SMALL: {
    severity: 'info',
    message: 'A feature has no area or length that a vector tile can show: less than about 10 cm.',
    remedy: 'It is left out of vector tiles. Nothing need be done.',
  },
} as const satisfies Record<string, Pick<ConvertIssue, 'severity' | 'message' | 'remedy'>>;

export type VectorIssueCode = keyof typeof TEXTS;

export class IssueCounts {
  readonly #file: string;
  readonly #sink: (issue: ConvertIssue) => void;
  readonly #found = new Map<VectorIssueCode, { id: string; count: number }>();

  constructor(file: string, sink: (issue: ConvertIssue) => void) {
    this.#file = file;
    this.#sink = sink;
  }

  add(code: VectorIssueCode, id: string, times = 1): void {
    const found = this.#found.get(code);
    if (found === undefined) this.#found.set(code, { id, count: times });
    else found.count += times;
  }

  /** Tells all that was found. */
  report(): void {
    for (const [code, { id, count }] of this.#found) {
      this.#sink({ code, file: this.#file, id, count, ...TEXTS[code] });
    }
  }
}
