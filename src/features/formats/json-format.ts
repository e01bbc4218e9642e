/** Attribute objects in an array, as the interface answers without a format. */
import { attributesOfParts, type FeatureFormat, FramedText } from './format.ts';

export const JSON_FORMAT: FeatureFormat = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  summary: 'the attributes of each feature as an object',
  needsGeometry: false,
  listsIds: true,
  flatten: 'never',
  writer({ fields }) {
    const text = new FramedText({ head: '[', between: ',', tail: ']' });
    return {
      record: (feature) => JSON.stringify(attributesOfParts(feature, fields)),
      batch: (records) => text.batch(records),
      end: () => text.end(),
    };
  },
};
