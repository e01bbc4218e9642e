import type { Issue } from '../base/issue.ts';
import type { GmlFileRow, PackageRow, PackageState, PlaceRow } from './rows.ts';

/** Everything that one ingestion makes visible, in one transaction. */
export interface Publication {
  package: Omit<PackageRow, 'no' | 'state'>;
  files: Iterable<Omit<GmlFileRow, 'packageNo'>>;
  places: Iterable<Omit<PlaceRow, 'packageNo'>>;
  issues: Iterable<Issue>;
  /** Packages that this one replaces; they become `retired`. */
  replaces: number[];
  /** The intent (`beginIntent`) that this publication fulfils and ends. */
  intent: string;
}

/** Which GML files are asked for: those of live packages that meet every given condition. */
export interface GmlFileQuery {
  packageNos?: readonly number[];
  /** Files whose mesh code starts with one of these … */
  meshPrefixes?: readonly string[];
  /** … or is one of these. */
  meshes?: readonly string[];
  types?: readonly string[];
}

/** Objects that an unfinished ingestion has written or may have written. */
export interface Intent {
  id: string;
  /** Keys in the object store that must be deleted if the intent is never fulfilled. */
  keys: string[];
  /** Local staging directory of the ingestion, or null. */
  staging: string | null;
  host: string;
  pid: number;
  /** Milliseconds since 1970. */
  heartbeatAt: number;
}

/**
 * The catalogue in a database: what was ingested, and what is being ingested. Every method is one
 * transaction; a database that cannot answer throws `StoreUnavailable`.
 */
export interface CatalogueStore {
  /** Brings the schema up to date; safe when several processes do it at once. */
  migrate(): Promise<void>;
  /** Grows with every change of what is live; cheap, made to be polled. */
  version(): Promise<number>;

  /** Packages in the given states (default live), by `no`, in pages so that the caller can pause between them. */
  packages(states?: readonly PackageState[]): AsyncIterable<PackageRow[]>;
  findPackages(by: {
    id?: string;
    identity?: string;
    name?: string;
    uploadSha256?: string;
  }): Promise<PackageRow[]>;
  publish(publication: Publication): Promise<PackageRow>;
  /** Changes the state; leaving `live` notes the time, from which the sweep counts. */
  setState(no: number, state: PackageState): Promise<void>;
  /** Packages that left `live` before the given time (ms since 1970). */
  sweepable(before: number): Promise<PackageRow[]>;
  /** Forgets a package that is not live, with its files, places and issues. */
  forget(no: number): Promise<void>;

  /** Files of live packages, by package, type, path. */
  gmlFiles(query: GmlFileQuery): Promise<GmlFileRow[]>;
  issues(packageNo: number): Promise<Issue[]>;
  /** Places of live packages that have one of these normalised names. */
  places(names: readonly string[]): Promise<PlaceRow[]>;

  beginIntent(intent: Intent): Promise<void>;
  touchIntent(id: string, heartbeatAt: number): Promise<void>;
  endIntent(id: string): Promise<void>;
  intents(): Promise<Intent[]>;

  close(): Promise<void>;
}

/** The database or object store cannot answer now; callers say `503`. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}
