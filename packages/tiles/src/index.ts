/** Tiles: reading 3D Tiles, vector tiles and PMTiles, and making them from CityGML. */

// Reading published tiles, and composing tilesets and TileJSON of several.
export { buildComposite } from './composite.ts';
// What became of everything in a GML file.
export type { AttributeTally, PartAttributes } from './convert/account/attribute-account.ts';
export {
  Fate,
  featuresOf,
  LEVELS,
  LOST,
  NO_LOD,
  type PartAccount,
  PartAccountBuilder,
  type SurfaceTally,
} from './convert/account/part-account.ts';
export { addTo, emptyTally, type Tally } from './convert/account/tally.ts';
export { LARGE_TYPE } from './convert/account/written-levels.ts';
// Conversion of some files at once, and its result.
export {
  type ConvertedFiles,
  convertFiles,
  type FilesToConvert,
  type WrittenPackage,
} from './convert/convert-files.ts';
// From the heights of data to those of tiles.
export type { GeoidDatum, HeightGrid } from './convert/heights/height-grid.ts';
export { heightIssues } from './convert/heights/height-issues.ts';
export { gridFor, heightModel, loadEgm96, NeedsEgm96 } from './convert/heights/height-model.ts';
export { BadGrid } from './convert/heights/read-grid.ts';
export { VerticalRefused } from './convert/heights/vertical.ts';
// The contract between makers of tiles and what runs them.
export { lookInto } from './convert/look-into.ts';
export { createSingleFile, createZip, type PackageFile } from './convert/package-file.ts';
export {
  type ConvertIssue,
  type ConvertOptions,
  type GmlFacts,
  type GmlSource,
  type OutputKey,
  outputSuffix,
  type Part,
  type PartMaker,
  type PartOutput,
  type SourcePackage,
} from './convert/part-maker.ts';
// Reading features, and images.
export { IssueCounter } from './convert/read/issue-counter.ts';
// The makers.
export { tiles3dMaker } from './convert/tiles3d/maker.ts';
export { vectorMaker } from './convert/vector/maker.ts';
export { inspectTileset, type TilesetFacts } from './inspect-3dtiles.ts';
export { inspectMvt } from './inspect-mvt.ts';
export { type MergedTile, mergeTiles } from './merge-tiles.ts';
// Pictures of 3D Tiles.
export { drawPicture } from './picture/draw-picture.ts';
export { encodePicture } from './picture/encode-picture.ts';
export { openPmtiles, PmtilesOverBudget, PmtilesRefused } from './pmtiles.ts';
export { DocumentTooLarge } from './read-json.ts';
export { buildTileJson } from './tilejson.ts';
