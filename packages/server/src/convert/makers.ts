/** Everyone who makes tiles of GML. */
import { EVERY_OUTPUT_KIND, type OutputKind } from '@citymodel/base';
import { type PartMaker, tiles3dMaker, vectorMaker } from '@citymodel/tiles';

const MAKER_OF: Record<OutputKind, PartMaker> = { '3dtiles': tiles3dMaker, mvt: vectorMaker };

export const MAKERS: readonly PartMaker[] = EVERY_OUTPUT_KIND.map((kind) => MAKER_OF[kind]);

/** The maker of a kind. */
export function makerOf(kind: OutputKind): PartMaker {
  return MAKER_OF[kind];
}
