/** Everyone who makes tiles of GML. */
import { type PartMaker, tiles3dMaker, vectorMaker } from '@citymodel/tiles';

export const MAKERS: readonly PartMaker[] = [tiles3dMaker, vectorMaker];

/** The maker of a name. Throws an Error for a name that none has. */
export function makerOf(name: string): PartMaker {
  const maker = MAKERS.find((each) => each.name === name);
  if (maker === undefined) throw new Error(`There is no maker ${name}.`);
  return maker;
}
