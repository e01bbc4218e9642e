/** By which properties a collection can be searched (OGC 19-079r2, section 7): those that its first features have. */

import { altitudeProperties } from '@citymodel/citygml';
import type { RecordMaker } from '../features/feature-pages.ts';
import { altitudesOf } from '../features/find-features.ts';
import { flattenAttributes } from '../features/formats/flatten-attributes.ts';
import { attributesOfParts } from '../features/formats/format.ts';
import type { OgcCollection } from './collections.ts';

/** Features that are looked at. */
export const LOOKED_AT = 100;

export type PropertyType = 'string' | 'number' | 'boolean';

/** Columns of a feature and the types of their values. */
export const columnsMaker: RecordMaker<Array<[string, PropertyType]>> = function* (parts) {
  const attributes = {
    ...attributesOfParts(parts, null),
    ...altitudeProperties(altitudesOf(parts.entry)),
  };
  return [...flattenAttributes(attributes)].flatMap(
    ([name, value]): Array<[string, PropertyType]> =>
      value === null ? [] : [[name, typeof value as PropertyType]],
  );
};

/** A JSON schema (draft 2020-12) of the properties; data may have further ones, which can be asked for too. */
export function queryablesDocument(
  { title, id }: OgcCollection,
  features: ReadonlyArray<ReadonlyArray<[string, PropertyType]>>,
  self: string,
) {
  const types = new Map<string, PropertyType>();
  for (const [name, type] of features.flat()) {
    types.set(name, (types.get(name) ?? type) === type ? type : 'string');
  }
  const names = [...types.keys()].sort();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: self,
    type: 'object',
    title: title.ja,
    description: `Properties of the first features of ${id}; others that the data has can be asked for too.`,
    properties: {
      geometry: { title: 'Footprint', format: 'geometry-any', 'x-ogc-role': 'primary-geometry' },
      ...Object.fromEntries(names.map((name) => [name, { title: name, type: types.get(name)! }])),
    },
    additionalProperties: true,
  };
}

export type QueryablesDocument = ReturnType<typeof queryablesDocument>;
