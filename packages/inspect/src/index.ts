/** Rules of quality for CityGML packages, by the numbers of the official checks. */

export type { Check, PackageContext, Spec } from './check.ts';
export { CHECKS } from './checks/index.ts';
export { overlapArea, unionOf } from './geometry/overlay.ts';
export { readObjectList } from './objects/object-list.ts';
export { SheetRefused } from './objects/read-sheet.ts';
export { placesOf } from './report/geojson.ts';
export { htmlReport } from './report/html.ts';
export { type InspectReport, type ReportCheck, reportOf } from './report/report.ts';
export { officialFiles } from './report/tables.ts';
export { type FileResult, type GmlFile, placeOf } from './run/file-checks.ts';
export { type InspectSource, inspectFile, joinFiles } from './run/inspect-package.ts';
export { openPackage } from './run/open-package.ts';
export { PassingPackage } from './run/passing-package.ts';
export {
  type OwnComparison,
  type OwnSchemas,
  SchemasRefused,
  type XsdFile,
} from './schema/own/own-schemas.ts';

/** Loads libxml2, which nothing but schemas that somebody brings along needs. */
export async function loadLibxml2() {
  return (await import('./schema/own/libxml2.ts')).Libxml2Schemas;
}
