/** What the portal shares with the server: names, specs, filters and types of answers. */

// Words, specs and filters.
export {
  datasetInEnglish,
  datasetInJapanese,
  partInEnglish,
  partInJapanese,
} from './catalogue/names/dataset-words.ts';
export { latinName } from './catalogue/names/latin-name.ts';
export { foldRomaji, kanaOf, romajiOf } from './catalogue/names/romaji.ts';
export {
  formatTilesSpec,
  parseTilesSpec,
  type TilesSpec,
  withHighestLod,
} from './catalogue/specs/tiles-spec.ts';
export { AttributeFilter } from './features/attribute-filter.ts';
export { FORMAT_FACTS, type FormatName } from './features/formats/format-facts.ts';

// Types of answers.
export type { AdminJob } from './http/admin/admin-jobs.ts';
export type { AdminUpload } from './http/admin/uploads.ts';
export type { JobPage } from './http/operations/job-list.ts';
export type { StatusDocument, StatusPackage } from './http/operations/status.ts';
export type { IngestQuality, IngestReport, PackageSummary } from './ingest/report.ts';
