/** A feature as formats of maps have it: its footprint beside its attributes. */
import type { Steps } from '@citymodel/base';
import { footprintOf, geoJsonInSteps } from '@citymodel/citygml';
import type { Feature, Geometry } from 'geojson';
import { altitudesOf } from '../find-features.ts';
import { attributesOfParts, type FeatureParts } from './format.ts';

/** Takes several turns of the event loop where the footprint is large. `fields`: the attributes that are kept. */
export function* outlinedFeature(
  feature: FeatureParts,
  fields: Parameters<typeof attributesOfParts>[1],
): Steps<Feature<Geometry | null, Record<string, unknown>>> {
  const attributes = attributesOfParts(feature, fields);
  const footprint = footprintOf(feature.geometries);
  yield;
  const outlined = yield* geoJsonInSteps(attributes, footprint, altitudesOf(feature.entry));
  yield;
  return outlined;
}
