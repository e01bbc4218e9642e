/** CityGML as a stream: features and their places, attributes, geometry, and features as other formats. */

// Attributes and code lists.
export { addressText } from './attributes/address.ts';
export { numberOf, simpleValue } from './attributes/attribute-values.ts';
export {
  type AttributesOptions,
  attributesOf,
  boundingBox,
  codeSpacesOf,
  gmlIdOf,
  HOOK,
  skipAllButAttributes,
} from './attributes/attributes.ts';
export { type CodeLabels, type CodeList, codeListInSteps, parseCodeList } from './attributes/code-list.ts';
export { CodeLists } from './attributes/code-lists.ts';
export {
  GENERIC,
  type GenericAttribute,
  genericAttributeOf,
  genericTypeOf,
  isGenericAttribute,
} from './attributes/generic-attributes.ts';
export { nameIn2, textIn2, version2Names, yearIn2 } from './attributes/version2-names.ts';
// Features as GeoJSON and CityJSON.
export {
  type CityJsonTransform,
  cityJsonHeader,
  cityJsonTransform,
  toCityJsonFeature,
} from './formats/to-cityjson.ts';
export { altitudeProperties, geoJsonInSteps } from './formats/to-geojson.ts';
// Coordinate systems, shapes, footprints and voxels.
export { type Crs, crsOf, epsgCodesOf, isBuiltIn, isSenseless } from './geometry/crs.ts';
export { dissolve } from './geometry/dissolve.ts';
export { registeredSystem } from './geometry/epsg-table.ts';
export {
  extentOf,
  geometriesOf,
  type LodGeometry,
  standingGeometry,
  surfacesOf,
} from './geometry/feature-geometry.ts';
export { altitudeRange, type FeatureShape, footprintOf, shapeOf } from './geometry/feature-shape.ts';
export type { Footprint } from './geometry/footprint.ts';
export {
  type Elsewhere,
  GeometryReader,
  indexIds,
  isGeometry,
  type RepeatAllowance,
  repeatAllowance,
} from './geometry/gml-geometry.ts';
export {
  isInside,
  isInstallation,
  isInterior,
  isInteriorSurface,
  isStatedInside,
} from './geometry/interior.ts';
export { type CoordinateDefaults, defaultsOf, defaultsWithin, type Positions } from './geometry/positions.ts';
export type { Rings } from './geometry/split-rings.ts';
export type { Surface } from './geometry/surface.ts';
export {
  type AltitudeRange,
  meetsAltitudes,
  meetsBox,
  meetsPolygon,
  type SearchPolygon,
} from './geometry/voxel-intersection.ts';
// The feature index.
export { upgradedIndex } from './index/encode-index.ts';
export { FeatureIndex } from './index/feature-index.ts';
export { FeatureIndexFile, numbersOf } from './index/feature-index-file.ts';
export { type FeatureEntry, hashOf } from './index/feature-index-format.ts';
// Names of GML files and codes of feature types.
export { type DatasetSub, datasetSub, isMapSymbols, mapSymbolsSub, scaleCode } from './names/dataset-sub.ts';
export {
  compareTypes,
  FEATURE_TYPES,
  type FeatureType,
  isDisasterType,
  isListedType,
  isTexturedType,
  isTypeCode,
  TYPE_CODE,
  typeName,
  typeOrder,
} from './names/feature-types.ts';
export { type GmlName, isGmlPath, mapSheetOf, parseGmlName } from './names/gml-name.ts';
// One pass over a whole file.
export { type Dependency, dependencyLines, parseDependency } from './scan/dependencies.ts';
export { entryOfText } from './scan/entry-of-text.ts';
export { type ReferencedFiles, resolveReferences } from './scan/references.ts';
export { GmlScanner } from './scan/scanner.ts';
export type { ScannedFeature } from './scan/scanner-features.ts';
export { ScannerMemory } from './scan/scanner-memory.ts';
export type { GmlSummary, Place } from './scan/summary.ts';
// What the schemas say of properties.
export { isFeatureElement, propertyOf } from './schema/property-table.ts';
// Features as elements.
export { ElementCutter } from './xml/element-cutter.ts';
export { namespaceContext, parseFeature } from './xml/feature-xml.ts';
export { iurModule, specEdition, specOfIur } from './xml/iur-versions.ts';
export { GmlTextError, MemberCutter, type MemberText } from './xml/member-cutter.ts';
export { NamespaceContext } from './xml/namespace-context.ts';
export { canonicalPrefix, isOwnPrefix } from './xml/namespaces.ts';
export { Remembered } from './xml/remembered.ts';
export { FeatureTooLarge, MAX_KEPT, skimFeature } from './xml/skim-feature.ts';
export {
  FeatureTooDeep,
  FeatureXmlError,
  localName,
  MAX_DEPTH,
  NO_ATTRIBUTES,
  prefixOf,
  type XmlElement,
} from './xml/xml-element.ts';
export { interned, XmlMemory } from './xml/xml-names.ts';
