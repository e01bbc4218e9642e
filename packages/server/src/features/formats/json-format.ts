/** Attribute objects in an array, as the interface answers without a format. */
import { flattenAttributes } from './flatten-attributes.ts';
import { attributesOfParts, type FeatureFormat, type FeatureWriter, framedBytes } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';

const FRAME = { head: '[', between: ',', tail: ']' };

export const JSON_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.json,
  writer: ({ fields, flatten }): FeatureWriter<Uint8Array> => ({
    // biome-ignore lint/correctness/useYield: attributes are one step
    *record(feature) {
      const attributes = attributesOfParts(feature, fields);
      return Buffer.from(
        JSON.stringify(flatten ? Object.fromEntries(flattenAttributes(attributes)) : attributes),
      );
    },
    pieces: (batches, slices) => framedBytes(FRAME, batches, slices),
  }),
};
