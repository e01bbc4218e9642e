import type { Archives, CatalogueStore, ComparisonStore, JobStore, ObjectStore } from '@citymodel/store';
import type { Settings } from '../base/settings.ts';
import type { CoverageCache } from '../catalogue/coverage/package-coverage.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { FileSearch } from '../catalogue/search/file-search.ts';
import type { CatalogueWatch } from '../catalogue/snapshot/catalogue-watch.ts';
import type { FeatureService } from '../features/feature-service.ts';
import type { TableObjects } from '../features/tables/table-objects.ts';
import type { Packs } from '../pack/packs.ts';
import type { Drain } from './connections/drain.ts';
import type { DiskWatch } from './observe/disk-checks.ts';
import type { Metrics } from './observe/metrics.ts';

/** What the routes work with. */
export interface ServiceContext {
  settings: Settings;
  urls: AssetUrls;
  catalogue: CatalogueStore;
  objects: ObjectStore;
  archives: Archives;
  watch: CatalogueWatch;
  search: FileSearch;
  /** Where the files of packages are. */
  coverage: CoverageCache;
  features: FeatureService;
  /** Tables of features, which are objects beside archives. */
  tables: TableObjects;
  packs: Packs;
  jobs: JobStore;
  comparisons: ComparisonStore;
  metrics: Metrics;
  disks: DiskWatch;
  drain: Drain;
}
