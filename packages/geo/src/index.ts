/** Places: mesh codes, spatial IDs, bounds, bounding volumes, ellipsoid and geoid. Pure arithmetic. */

// Boxes in degrees, and bounding volumes of 3D Tiles.
export {
  type BoundingVolume,
  isBoundingVolume,
  type Region,
  regionBounds,
  regionRadius,
  transformVolume,
  unionRegions,
  volumeRegion,
} from './bounding-volume.ts';
export {
  type Bounds,
  boundsIntersect,
  boundsOverlap,
  boundsToArray,
  type Extent,
  squareKilometres,
  unionBounds,
} from './bounds.ts';
// Earth-centred coordinates and tiles of Web Mercator.
export {
  ecefToGeodetic,
  geodeticToEcef,
  maximumScale,
  meridianRadius,
  multiply,
  transformPoint,
  type Vec3,
  WGS84_A,
  WGS84_B,
} from './ecef.ts';
export { geoidHeight, readGsigeo2011 } from './geoid.ts';
// Heights of the geoid.
export { type GeoidGrid, NO_HEIGHT } from './geoid-format.ts';
export { isOtherGrid, REVISION_NAME, readRevision, revisionAt } from './height-revision.ts';
// Mesh codes (JIS X 0410) and spatial IDs.
export {
  countMeshesIn,
  isInGrid,
  isMeshCode,
  MESH_DIGITS,
  type MeshDigits,
  meshAncestors,
  meshBounds,
  meshesIn,
  meshForExtent,
  meshOf,
  touchesGrid,
} from './mesh.ts';
export {
  formatSpatialId,
  parseSpatialId,
  parseSpatialIds,
  type SpatialId,
  spatialIdAltitudes,
  spatialIdBounds,
  spatialIdOf,
} from './spatial-id.ts';
export { mercatorLat, mercatorLng, tileBounds } from './web-mercator.ts';
