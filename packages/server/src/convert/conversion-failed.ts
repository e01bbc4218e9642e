/**
 * A conversion that the system ended: a full disk, too many open files, a store that is away. The data is not to blame.
 */
import { type Failure, failureOf } from '../ingest/failure.ts';

export class ConversionFailed extends Error {
  readonly code: Exclude<Failure['code'], 'UNFORESEEN'>;

  /** `message`: a full sentence. */
  constructor(code: ConversionFailed['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConversionFailed';
    this.code = code;
  }
}

const FULL =
  'The disk is full, and the package was not converted. Make room below DATA_DIR and where the tiles go; the same ' +
  'command continues.';

/** What the system failed at; null for an error that has another reason. */
export function systemFailure(error: unknown): ConversionFailed | null {
  if (error instanceof ConversionFailed) return error;
  const { code, reason } = failureOf(error);
  if (code === 'UNFORESEEN') return null;
  const message = code === 'NO_SPACE' ? FULL : `The package was not converted. ${reason}`;
  return new ConversionFailed(code, message, { cause: error });
}
