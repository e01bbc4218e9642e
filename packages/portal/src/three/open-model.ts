/** Opens another model in the 3D view, with a step of the browser's history. */
import { formatTilesSpec, type TilesSpec } from 'citymodel-server/shared';
import { update } from '../core/store.ts';

/** What belongs to the model that was there before. */
const GONE = { feature: null, also: [], older: null, border: null };

/** Another edition, type or detail of the same place: the camera and the conditions stay. */
export function openHere(spec: TilesSpec): void {
  update({ model: formatTilesSpec(spec), ...GONE }, { push: true });
}

/** A model of another place. @param model a spec, or the id of a dataset */
export function openElsewhere(model: string): void {
  update({ model, ...GONE, camera: null, where: '' }, { push: true });
}
