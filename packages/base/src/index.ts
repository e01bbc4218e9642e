/** What every package of the project knows: issues, numbers, work in turns, patience. */

// Work beside other work: in slices, in turn, a few at a time, and until nobody waits any more.
export { ConcurrencyLimit, Pass } from './concurrency-limit.ts';
// Feature types.
export {
  FEATURE_TYPES,
  type FeatureType,
  factsOfType,
  typesOfNature,
} from './feature-types.ts';
// Numbers, texts and sorted lists.
export { firstWhere } from './first-where.ts';
export type { Issue, IssueSeverity, IssueSink } from './issue.ts';
// Issues of inputs, and how often each occurs.
export { bySeverity, countIssues, type IssueCount, moreOfKind, standsFor } from './issue-counts.ts';
// What issues mean, in Japanese.
export { ISSUES_IN_JAPANESE } from './issues-in-japanese.ts';
// Levels of detail.
export { HIGHEST_LOD, LOD_DIGIT, LODS, type Lod } from './lods.ts';
export { MAX_NUMBER_LENGTH, readDecimal } from './numbers.ts';
// Kinds of packages that are made of CityGML.
export {
  EVERY_OUTPUT_KIND,
  FILES_OF_OUTPUTS,
  factsOfFormat,
  kindOfFormat,
  OUTPUT_KINDS,
  type OutputKind,
  type OutputKindFacts,
  type PackageKind,
  packageKindLabel,
  SOURCE_LABEL,
  specPath,
  TILE_FORMATS,
  type TileFormat,
} from './output-kinds.ts';
// Files of a package that is not open yet, and the process that works on it.
export type { PackageFiles } from './package-files.ts';
export { quoted } from './parameters.ts';
export { isAwaited, OutOfPatience, waitPatiently, withoutPatience, withPatience } from './patience.ts';
export { noteDatabaseTime, sharedNow } from './shared-clock.ts';
export { SKY_COLOURS } from './sky-colours.ts';
export { finish, inSlices, type Steps } from './steps.ts';
export { compareTexts, withoutEnd } from './texts.ts';
export { THIS_HOST } from './this-host.ts';
export {
  type SpanOptions,
  setTracer,
  type TracedWork,
  type Tracer,
  traced,
  tracedAlone,
  tracedParts,
  tracer,
} from './tracing.ts';
export { backgroundSlices, type Caller, Slices, STEPS, Turns } from './turns.ts';
// Depths of water.
export { WATER_DEPTHS, waterDepthOf } from './water-depths.ts';
