/** Pictures of packages that have none, or those of an earlier program. */
import { type FillInFault, fillIn } from '../ingest/fill-in.ts';
import {
  hasPictures,
  isDrawn,
  makePictures,
  type PicturesContext,
  type PicturesOptions,
} from './draw-package.ts';

export interface MissingPicturesReport {
  /** Names of packages that were drawn. */
  made: string[];
  /** What the pictures of some of these lack. */
  lacks: Array<{ place: string; leftOut: number; firstReason: string }>;
  faults: FillInFault[];
}

/** Draws what is missing; all packages where `all`. Throws the signal's reason, and nothing for a bad package. */
export async function makeMissingPictures(
  context: PicturesContext,
  { names, all, ...options }: PicturesOptions & { names: readonly string[] | null; all: boolean },
): Promise<MissingPicturesReport> {
  const { filled, faults } = await fillIn(context.catalogue, {
    names,
    signal: options.signal,
    isWanted: (row) => isDrawn(row) && (all || !hasPictures(row)),
    make: (row) => makePictures(row, context, options),
    faultOf: (message) => `Its pictures cannot be drawn: ${message}; the package is served without them.`,
  });
  return {
    made: filled.map(({ name }) => name),
    lacks: filled.flatMap(({ name, result: { leftOut, firstReason } }) =>
      firstReason === null ? [] : [{ place: name, leftOut, firstReason }],
    ),
    faults,
  };
}
