/** Attribute objects in an array, as the interface answers without a format. */
import { flattenAttributes } from './flatten-attributes.ts';
import { attributesOfParts, type FeatureFormat, FramedText } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';

export const JSON_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.json,
  needsGeometry: false,
  listsIds: true,
  flatten: 'optional',
  writer({ fields, flatten }) {
    const text = new FramedText({ head: '[', between: ',', tail: ']' });
    return {
      record(feature) {
        const attributes = attributesOfParts(feature, fields);
        return JSON.stringify(flatten ? Object.fromEntries(flattenAttributes(attributes)) : attributes);
      },
      batch: (records) => text.batch(records),
      end: () => text.end(),
    };
  },
};
