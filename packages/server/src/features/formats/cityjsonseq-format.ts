/** A CityJSON text sequence: a header line, then one CityJSONFeature a line (CityJSON 2.0, section 4). */
import {
  type CityJsonTransform,
  cityJsonHeader,
  cityJsonTransform,
  toCityJsonFeature,
} from '@citymodel/citygml';
import { chosenAttributes, type FeatureFormat, type FeatureWriter, framedText } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';

export const CITYJSONSEQ_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.cityjsonseq,
  writer({ fields }): FeatureWriter<string> {
    let transform: CityJsonTransform | null = null;
    const lineOf = (value: object) => `${JSON.stringify(value)}\n`;
    const head = () => lineOf(cityJsonHeader(transform ?? cityJsonTransform(null)));
    return {
      *record({ element, entry, labels, geometries, fallbackId }) {
        // The place of the first feature that is read keeps the integers of all of them small.
        transform ??= cityJsonTransform(entry.extent);
        const feature = toCityJsonFeature(element, geometries, labels, transform, fallbackId);
        for (const object of Object.values(feature.CityObjects)) {
          object.attributes = chosenAttributes(object.attributes, fields);
        }
        yield;
        return lineOf(feature);
      },
      pieces: (batches, slices) => framedText({ head, between: '', tail: '' }, batches, slices),
    };
  },
};
