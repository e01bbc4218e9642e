/** What all operations declare, in the order of the description of the interface. */
import type { Operation } from '../describe/operation.ts';
import { getAreas } from './areas.ts';
import { getCatalogue } from './catalogue.ts';
import { getChanges } from './changes.ts';
import { getCityTable, getCityZip } from './city-zip.ts';
import { getDatasetPage } from './dataset-page.ts';
import { getOpenApi, getOpenApi30 } from './docs.ts';
import { getAttributes, getFeatures, getSpatialIdAttributes } from './features.ts';
import { countFiles } from './file-counts.ts';
import { findFiles } from './files.ts';
import { getGeoidHeight } from './geoid.ts';
import { getGraphql, postGraphql } from './graphql.ts';
import { getLive, getMetrics, getReady } from './health.ts';
import { postCatalogueMcp, postMcp } from './mcp.ts';
import { OGC_OPERATIONS } from './ogc.ts';
import { getPackStatus } from './pack-status.ts';
import { getPackZip } from './pack-zip.ts';
import { postPack } from './packs.ts';
import { getQuality } from './quality.ts';
import { getSdkDatasets, getSdkFiles } from './sdk.ts';
import { SPEC_DOCUMENTS } from './spec-documents.ts';
import { STAC_OPERATIONS } from './stac.ts';
import { getStatistics } from './statistics.ts';
import { getCoverage, getSummary } from './summary.ts';

export const OPERATIONS: readonly Operation[] = [
  getGraphql,
  postGraphql,
  getCatalogue,
  getAreas,
  getSummary,
  getDatasetPage,
  getCoverage,
  ...Object.values(SPEC_DOCUMENTS).map(({ operation }) => operation),
  getCityZip,
  getCityTable,
  getQuality,
  getChanges,
  findFiles,
  countFiles,
  postPack,
  getPackStatus,
  getPackZip,
  getAttributes,
  getFeatures,
  getSpatialIdAttributes,
  getStatistics,
  getGeoidHeight,
  getSdkDatasets,
  getSdkFiles,
  ...OGC_OPERATIONS,
  ...STAC_OPERATIONS,
  postMcp,
  postCatalogueMcp,
  getLive,
  getReady,
  getMetrics,
  getOpenApi,
  getOpenApi30,
];
