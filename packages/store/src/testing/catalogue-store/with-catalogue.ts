import type { CatalogueStore } from '../../catalogue-store.ts';

/** Where the stores of one test keep their catalogue. */
export interface CatalogueStoreFixture extends AsyncDisposable {
  /** A store over the same database each time, migrated or not. */
  open(): Promise<CatalogueStore>;
}

/** Registers a test that gets an empty, migrated catalogue. */
export type WithCatalogue = (
  title: string,
  run: (catalogue: CatalogueStore, fixture: CatalogueStoreFixture) => Promise<void>,
) => void;
