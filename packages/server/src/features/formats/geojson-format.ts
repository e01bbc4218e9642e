/** A GeoJSON FeatureCollection (RFC 7946, section 3.3; the media type is that of section 12). */
import { footprintOf, geoJsonInSteps } from '@citymodel/citygml';
import { altitudesOf } from '../find-features.ts';
import { flattenAttributes } from './flatten-attributes.ts';
import { attributesOfParts, type FeatureFormat, FramedText } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';

export const GEOJSON_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.geojson,
  needsGeometry: true,
  listsIds: false,
  flatten: 'optional',
  writer({ fields, flatten }) {
    const text = new FramedText({
      head: '{"type":"FeatureCollection","features":[',
      between: ',',
      tail: ']}',
    });
    return {
      *record(feature) {
        const attributes = attributesOfParts(feature, fields);
        const footprint = footprintOf(feature.geometries);
        yield;
        const built = yield* geoJsonInSteps(attributes, footprint, altitudesOf(feature.entry));
        yield;
        if (flatten) built.properties = Object.fromEntries(flattenAttributes(built.properties ?? {}));
        return JSON.stringify(built);
      },
      batch: (records) => text.batch(records),
      end: () => text.end(),
    };
  },
};
