/** What tests of other packages need of @citymodel/citygml; not published. */

// Inner parts that tests of other packages look at.
export { FeatureIndexWriter } from '../index/feature-index-writer.ts';
// Helpers.
export { cityJsonFeature, cityJsonHeader } from './cityjson-schema.ts';
export { firstVersion } from './first-version.ts';
export { feature, polygon } from './fixtures.ts';
export { block, cityModel, member, polygon as gmlPolygon } from './gml-text.ts';
export { DATA, publishedPackages, random, unzip } from './published.ts';
export {
  type SchemaFacts,
  type SlowElement,
  type SlowPiece,
  slowAttributes,
  slowExtent,
  slowFeatures,
  slowlyMeets,
  slowPieces,
} from './slow-features.ts';
