/** A mast on the highest roof of a building. */
import { type Building, footprintCentre, highestOf } from '../building.ts';
import { mm } from './shape.ts';

/** Fifth of the building's height, metres. */
export function mastOn({ bodies: [body] }: Building): NonNullable<Building['mast']> {
  const foot = highestOf(body!.roof);
  return { at: footprintCentre(body!.footprint), foot, tip: mm(foot + (foot - body!.base) * 0.2) };
}
