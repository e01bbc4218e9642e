import type { Issue } from '@citymodel/base';
import type {
  FindingRow,
  GmlFileRow,
  ListedFileRow,
  MeasuredFileRow,
  PackagePictures,
  PackageQuality,
  PackageRow,
  PackageState,
  PackageTable,
  PlaceRow,
} from './rows.ts';

/** Everything that one ingestion makes visible, in one transaction. */
export interface Publication {
  package: Omit<PackageRow, 'no' | 'state'>;
  files: Iterable<Omit<GmlFileRow, 'packageNo'>>;
  places: Iterable<Omit<PlaceRow, 'packageNo'>>;
  issues: Iterable<Issue>;
  /** What the ingestion found of quality, whose sums are those of the package. */
  inspected?: Omit<InspectedPackage, 'packageNo' | 'quality'>;
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
  /** Files of replaced and removed packages too, until these are forgotten: the caller knows which packages count. */
  anyState?: boolean;
  /** Of one type of one package, without mesh codes: files whose path comes after this one. */
  after?: string;
  /** Without mesh codes: at most so many files, the first by package, type and path. */
  limit?: number;
}

/**
 * A state that the catalogue is or was in. The number alone does not tell: after a fail-over to a standby that is
 * behind, or after a restore, the database counts on from an earlier number.
 */
export interface CatalogueState {
  /** Grows with every change of what is live. */
  version: number;
  /** Random for each version; empty for one that a program of an older version has made. */
  identity: string;
}

export interface DatedState extends CatalogueState {
  /** By the clock of the database, ms since 1970; null for one that a program of an older version has made. */
  changedAt: number | null;
}

/** What became of the packages between two states of the catalogue. */
export interface CatalogueChanges {
  /** The state that the changes lead to. */
  state: CatalogueState;
  /**
   * Live and retired packages that were published, changed their state or got another index, as they are now, by `no`.
   * One that the caller knows already takes the place of the row with its `no`.
   */
  added: PackageRow[];
  /** Numbers of packages that are removed or forgotten now, ascending; the caller may never have known them. */
  gone: number[];
}

/** What one version of the catalogue changed of one package. */
export interface PackageChange {
  version: number;
  /** When, by the clock of the database, ms since 1970; null for versions that programs of older versions made. */
  changedAt: number | null;
  packageNo: number;
  /** Its state before: '' for one that was not there, null where a program of an older version changed it. */
  was: PackageState | '' | null;
  /** Its state today, whatever came after this version. */
  now: PackageState | 'forgotten';
  /** What tells its places in answers and its URLs; null where nobody knows them any more. */
  located: Pick<
    PackageRow,
    'name' | 'assetPath' | 'prefCode' | 'cityCode' | 'wardCode' | 'archiveKey'
  > | null;
  /** Keys of the tables that it has today; null for a package that is forgotten, of which nobody knows them. */
  tableKeys: readonly string[] | null;
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
  /**
   * True once given up (`abandonIntent`): it can no longer be fulfilled, and its staging directory is to be deleted.
   */
  abandoned?: boolean;
}

/** What an inspection found. */
export interface InspectedPackage {
  packageNo: number;
  quality: PackageQuality;
  /** JSON. */
  report: string;
  findings: Iterable<FindingRow>;
}

/** A table with what is compared when it is read. */
export interface NewTable extends PackageTable {
  /** Base64: CRC-32 of each page of 32 KiB of the object, as `PageSumsWriter` has them. */
  sums: string;
}

export interface FindingQuery {
  packageNo: number;
  /** Only of this check. */
  code: string | null;
  /** Position of the last one before; -1 for the first page. */
  after: number;
  limit: number;
}

/**
 * The catalogue in a database: what was ingested, and what is being ingested. Every method is one
 * transaction; a database that cannot answer throws `StoreUnavailable`.
 */
export interface CatalogueStore {
  /** Brings the schema up to date; safe when several processes do it at once. */
  migrate(): Promise<void>;
  /** A UUID that tells this database from every other one, but not from its standbys and restored copies. */
  identity(): Promise<string>;
  /** Grows with every change of what is live; cheap, made to be polled. */
  version(): Promise<number>;
  /** The clock of the database, ms since 1970, with which changes are dated. */
  clock(): Promise<number>;
  /**
   * Calls `heard` when the version may have grown, in any process, until the function that it gives is called. Not
   * every store can tell, so callers look regularly as well.
   */
  listen(heard: () => void): () => void;
  /** The state that the catalogue is in; cheap, made to be polled. */
  state(): Promise<CatalogueState>;
  /**
   * Whether the catalogue has been in a state: within the last 1,000 changes, in the history that the database has now.
   */
  hasBeen(state: CatalogueState): Promise<boolean>;
  /**
   * What has changed since a state, for a reader that keeps a copy of the live and retired packages. Null when the
   * catalogue has not been in that state (`hasBeen`): the reader reads everything then. With `until`, what leads to
   * that state, an earlier or a later one; rows are as they are now but for their state. Null also when a change
   * between is not known that well.
   */
  changesSince(state: CatalogueState, until?: CatalogueState): Promise<CatalogueChanges | null>;
  /**
   * The states from a version on, oldest first, with their times; the version of today, which has no state where a
   * program of an older version made it; and the clock of the database.
   */
  statesFrom(from: number): Promise<{ states: DatedState[]; version: number; clock: number }>;
  /**
   * The changes of the versions after one, by version and package. Null when one of them is none of the last 1,000, or
   * when the catalogue has not come to that version.
   */
  changeLog(since: number): Promise<PackageChange[] | null>;
  /**
   * Live and retired packages by `no`, in pages, each with the state that all of them are of. An empty catalogue is one
   * empty page: rows and state come from one moment of one database, even when a standby takes over meanwhile.
   */
  everything(): AsyncIterable<{ state: CatalogueState; packages: PackageRow[] }>;

  /** Packages in the given states (default live), by `no`, in pages so that the caller can pause between them. */
  packages(states?: readonly PackageState[]): AsyncIterable<PackageRow[]>;
  findPackages(by: {
    id?: string;
    identity?: string;
    name?: string;
    uploadDigest?: string;
  }): Promise<PackageRow[]>;
  /**
   * Makes a package visible. A retired or removed package of the same id is replaced, and the keys that only it had
   * become garbage. Throws CatalogueConflict when the id is live already, or another live package outside `replaces`
   * has the identity. Throws it too when the intent is gone or given up.
   */
  publish(publication: Publication): Promise<PackageRow>;
  /**
   * Gives a package another index object, which fulfils and ends the intent; the old one becomes garbage from now on.
   * Throws CatalogueConflict when the package is gone or its index is another than `from`, or when the intent is gone
   * or given up. `partNames`, where given, replace those of the package.
   */
  replaceIndex(change: {
    no: number;
    from: string;
    to: string;
    intent: string;
    partNames?: PackageRow['partNames'];
  }): Promise<void>;
  /**
   * Gives a package tables of its features in the place of those that it has, which become garbage from now on; this
   * fulfils and ends the intent. Throws CatalogueConflict when the package is forgotten, or when the intent is gone or
   * given up.
   */
  setTables(change: { no: number; tables: readonly NewTable[]; intent: string }): Promise<void>;
  /**
   * Gives a package pictures in the place of those that it has; all else as `setTables`.
   */
  setPictures(change: { no: number; pictures: PackagePictures; intent: string }): Promise<void>;
  /** Sums of the pages of the object of a table (`NewTable`); null where no package has it. */
  tableSums(key: string): Promise<string | null>;
  /** Changes the state; leaving `live` notes the time, from which the sweep counts. */
  setState(no: number, state: PackageState): Promise<void>;
  /**
   * Makes a retired or removed package live again. The one that is live in its place becomes retired in the same
   * moment, so that no reader sees both or none. The numbers of such, none or one. Throws CatalogueConflict when the
   * package is live, or forgotten.
   */
  bringBack(no: number): Promise<number[]>;
  /** Packages that left `live` before the given time (ms since 1970). */
  sweepable(before: number): Promise<PackageRow[]>;
  /**
   * Forgets a package that is not live, with its files, places and issues; its keys become garbage. Unknown
   * numbers are ignored; a live package throws CatalogueConflict.
   */
  forget(no: number): Promise<void>;

  /** Files of live packages, by package, type, path. */
  gmlFiles(query: GmlFileQuery): Promise<GmlFileRow[]>;
  /**
   * The same files for lists, in pages so that the caller can pause between them. By package, type, path where no mesh
   * codes are given, else in no order: the first page would have to wait until all files of an area are sorted.
   */
  listedFiles(query: GmlFileQuery): AsyncIterable<ListedFileRow[]>;
  /** The same files in the same order, with little of each: 80 bytes, where lists have 400. */
  placedFiles(query: GmlFileQuery): AsyncIterable<MeasuredFileRow[]>;
  issues(packageNo: number): Promise<Issue[]>;
  /**
   * Keeps what an inspection found in a package in the place of what the one before found, and tells of a change.
   * False when the package is gone.
   */
  setQuality(inspected: InspectedPackage): Promise<boolean>;
  /** The report of a package without its places, JSON; null when it was not inspected. */
  qualityReport(packageNo: number): Promise<string | null>;
  /** Places in the order of the report. */
  findings(query: FindingQuery): Promise<FindingRow[]>;
  /** Places of live packages, or of all, that have one of these normalised names. */
  places(names: readonly string[], options?: { anyState?: boolean }): Promise<PlaceRow[]>;

  /** Notes what is about to be written. Throws CatalogueConflict when a sweep is deleting one of the keys just now. */
  beginIntent(intent: Intent): Promise<void>;
  touchIntent(id: string, heartbeatAt: number): Promise<void>;
  endIntent(id: string): Promise<void>;
  intents(): Promise<Intent[]>;
  /**
   * Gives an intent up: its keys become garbage and it cannot be published any more. With `heartbeatAt`, only
   * when the intent has not been touched since then. False when there is no such intent (any more). `endIntent`
   * follows when its staging directory is gone.
   */
  abandonIntent(id: string, heartbeatAt?: number): Promise<boolean>;

  /** Notes keys that may be deleted once nothing refers to them, from the given time (ms since 1970) on. */
  addGarbage(keys: readonly string[], since: number): Promise<void>;
  /**
   * Takes up to `limit` garbage keys for deletion by the holder of the intent `sweep`. They were noted before the given
   * time, and no package, pack or intent refers to them. Nobody else gets them while that intent lives, and nobody can
   * begin to write them.
   */
  claimGarbage(sweep: string, before: number, limit: number): Promise<string[]>;
  /** All garbage keys, in order: objects that are in the store although nothing refers to them any more. */
  garbage(): Promise<string[]>;
  /** Forgets garbage keys, once their objects are gone. */
  dropGarbage(keys: readonly string[]): Promise<void>;

  close(): Promise<void>;
}

/** The database or object store cannot answer now; callers say `503`. */
export class StoreUnavailable extends Error {
  /** The cause in a few words that everybody may read: without addresses, names and keys. */
  readonly why: string | undefined;

  constructor(message: string, options?: { cause?: unknown; why?: string }) {
    super(message, options);
    this.name = 'StoreUnavailable';
    this.why = options?.why;
  }

  /** What cannot answer; messages begin with it. */
  get part(): 'database' | 'objects' {
    return /^(the database|messages about jobs) /.test(this.message) ? 'database' : 'objects';
  }
}

/** What was asked contradicts what the catalogue holds: a package that is live already, an intent that was given up. */
export class CatalogueConflict extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CatalogueConflict';
  }
}
