/** A GeoJSON FeatureCollection (RFC 7946, section 3.3; the media type is that of section 12). */
import { flattenAttributes } from './flatten-attributes.ts';
import { type FeatureFormat, type FeatureWriter, framedText } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';
import { outlinedFeature } from './outlined-feature.ts';

const FRAME = {
  head: '{"type":"FeatureCollection","features":[',
  between: ',',
  tail: ']}',
};

export const GEOJSON_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.geojson,
  writer: ({ fields, flatten }): FeatureWriter<string> => ({
    *record(feature) {
      const built = yield* outlinedFeature(feature, fields);
      if (flatten) built.properties = Object.fromEntries(flattenAttributes(built.properties));
      return JSON.stringify(built);
    },
    pieces: (batches, slices) => framedText(FRAME, batches, slices),
  }),
};
