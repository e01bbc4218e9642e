import type { Settings } from '../base/settings.ts';
import type { AssetUrls } from '../catalogue/asset-urls.ts';
import type { CatalogueWatch } from '../catalogue/catalogue-watch.ts';
import type { FileSearch } from '../catalogue/file-search.ts';
import type { FeatureService } from '../features/feature-service.ts';
import type { Packs } from '../pack/packs.ts';
import type { Archives } from '../store/archives.ts';
import type { CatalogueStore } from '../store/catalogue-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { Metrics } from './metrics.ts';

/** What the routes work with. */
export interface ServiceContext {
  settings: Settings;
  urls: AssetUrls;
  catalogue: CatalogueStore;
  objects: ObjectStore;
  archives: Archives;
  watch: CatalogueWatch;
  search: FileSearch;
  /** Loaded when it is first needed. */
  features: () => Promise<FeatureService>;
  packs: Packs;
  metrics: Metrics;
}
