/** What tests of other packages need of @citymodel/tiles; not published. */

// Inner parts that tests of other packages look at.
export { loadDraco } from '../convert/mesh/draco.ts';
export { contribution } from '../convert/part-maker.ts';
// Helpers.
export { gmlSource, partContext } from '../convert/read/testing/gml-source.ts';
export { comparePublished, isAsPublished } from '../convert/testing/compare-published.ts';
export { documentedDifferences } from '../convert/testing/documented-differences.ts';
export { checkPackage, finestFeatures } from '../convert/tiles3d/testing/check-package.ts';
export { convertGml } from '../convert/tiles3d/testing/convert-gml.ts';
export {
  box,
  building,
  FIXTURE_PATH,
  fixture,
  polygon,
  position,
  RELIEF_PATH,
  type Ring,
  relief,
  solid,
} from '../convert/tiles3d/testing/fixture-gml.ts';
export { readForeignTile } from '../convert/tiles3d/testing/foreign-tiles.ts';
export { readTiles } from '../convert/tiles3d/testing/read-tiles.ts';
export { contentOf, makeVectorTiles } from '../convert/vector/testing/made-tiles.ts';
export { boxMesh, glbOf, tileOf, tilesetOf } from '../picture/testing/small-city.ts';
export { writeB3dm, writeGlb } from './content-writer.ts';
export { collectIssues, memoryFiles } from './memory-files.ts';
export { writeMvt } from './mvt-writer.ts';
export { writePmtiles } from './pmtiles-writer.ts';
