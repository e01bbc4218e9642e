/**
 * What a check of quality is: facts that reports, help and documents are made from, and the code that looks. A check
 * sees each GML file once, member by member, in any thread; what it needs of several files it hands on as a value that
 * can be copied, and compares at the end.
 *
 *   open file ──▶ element, element, … ──▶ member ──▶ … ──▶ end: findings, what is handed on ──▶ join: further findings
 */
import type { XmlElement } from '@citymodel/citygml';
import type { OwnSchemas } from './schema/own/own-schemas.ts';

/** Product specification: 4 is CityGML 2.0 with i-UR 3, 6 is CityGML 3.0 with i-UR 4. */
export type Spec = 4 | 6;

/** `error` decides whether a package holds; `warning` and `count` never do. */
export type Severity = 'error' | 'warning' | 'count';

export interface BothLanguages {
  ja: string;
  en: string;
}

/** One place where a rule is broken. */
export interface Finding {
  /** gml:id that the official results name; null where they name none. */
  id: string | null;
  /** Second id, or the value that is wrong. */
  ref?: string | null;
  /** 1-based line of the feature in its file. */
  line?: number | null;
  /** Qualified name of the element. */
  type?: string | null;
  /** Level of detail. */
  lod?: number | null;
  message: string;
  /** Longitude and latitude in degrees, height in metres as in the file. */
  position?: [lng: number, lat: number, height: number] | null;
  /** Values of the official row by column, without those of `PLACE_COLUMNS`. */
  row?: Readonly<Record<string, string | number>>;
  /** Official findings that this one stands for; 1 unless said. */
  errors?: number;
}

/**
 * Columns of official tables that tell where a row belongs: number of the file, its folder, name, and directories, the
 * package.
 */
export const PLACE_COLUMNS = ['Index', 'Folder', 'Filename', 'filename', 'dirs', 'package'] as const;

/** What most tables begin with. */
export const IN_FILE = ['Index', 'Folder', 'Filename'] as const;

/** What reports, help and documents say of a check. */
export interface CheckFacts {
  /** Official code where there is one: `L04`, `bldg.lod1.closed`. */
  code: string;
  /** Official name, as summaries and tables have it. */
  name: string;
  title: BothLanguages;
  /** The rule in a sentence or two, with its tolerance. */
  rule: BothLanguages;
  severity: Severity;
  specs: readonly Spec[];
  /** Folders below `udx` whose files are looked at; null: all. */
  folders: readonly string[] | null;
  /**
   * The official table of errors: name of its file without `.csv`, and all its columns; those of `PLACE_COLUMNS` fill
   * themselves.
   */
  table: { file: string; columns: readonly string[] } | null;
  /** The official summary that has its count: `common`, `bldg`; null where there is none. */
  summary: string | null;
  /** Codes of ISO 19107 checkers (val3dity) for the same fault. */
  iso19107?: readonly number[];
  /** Our own rule, beyond the official ones. */
  isOwn?: boolean;
  /**
   * What the check needs of a feature when it looks while a package is read for another purpose: its name, line and
   * extent, or its attributes as well. Absent for one that needs geometry, other files, or an object list.
   */
  inPassing?: 'extent' | 'attributes';
}

/** A member of a file: a feature with all that it contains. */
export interface Member {
  /** The feature: first child of `core:cityObjectMember`. */
  feature: XmlElement;
  /** Number of the member in its file, from 0. */
  number: number;
  /** 1-based line of its start tag. */
  line: number;
  /**
   * True for one that is too large for a tree: `element` has had its polygons one by one, and `feature` is what is left
   * without them. What needs the whole geometry says that it did not look, by `skipped`.
   */
  isLarge: boolean;
  /**
   * Set where a file is read in passing: west, south, east, north in degrees, lowest and highest in metres; null where
   * they are not known. `feature` may then have nothing but its name and gml:id.
   */
  extent?: ArrayLike<number> | null;
}

/** What a file's envelope says. */
export interface FileEnvelope {
  srsName: string | null;
  /** Latitude, longitude and height (in the order of the file); null where it cannot be read. */
  lower: readonly number[] | null;
  upper: readonly number[] | null;
}

/** The file that is looked at. */
export interface FileContext {
  readonly spec: Spec;
  /** Path in the package: `udx/bldg/53394525_bldg_6697_op.gml`. */
  readonly path: string;
  /** Folder below `udx`: `bldg`. */
  readonly folder: string;
  /** Folders below the type's own, as official tables write them: `fld/natl/tamagawa`. */
  readonly directory: string;
  /** Uncompressed bytes. */
  readonly bytes: number;
  readonly package: PackageContext;
  /** Known from the first member on. */
  readonly envelope: FileEnvelope;
  /** The same object for all checks of a file: what they keep together hangs on it. */
  readonly shared: object;
  /** Reads the text of the file once more. */
  text(): AsyncIterable<Uint8Array>;
  /** A function is called only where the place is kept; it stands for one error. */
  report(finding: Finding | (() => Finding)): void;
  /** Says that something was not looked at, and why. */
  skipped(reason: string): void;
}

/** What is known of the package that a file belongs to. */
export interface PackageContext {
  readonly spec: Spec;
  /** EPSG code of the plane rectangular system in which areas and lengths are measured. */
  readonly plane: number;
  /** Easting and northing in metres of a longitude and latitude in degrees. */
  toPlane(lng: number, lat: number): readonly [east: number, north: number];
  /** The codes of a list that a file refers to, as the attribute has it; null when the package has none. */
  codeList(codeSpace: string, path: string): Promise<ReadonlyMap<string, string> | null>;
  /** True for a path that the package has. */
  hasMember(path: string): boolean;
  /** Repeats what the official program does wrong; what it remembers of pairs while it does. Null to do right. */
  readonly likeUpstream: { pairs: Set<string> } | null;
  /** Required and target attributes; null when no object list is given. */
  readonly objects: ObjectList | null;
  /** Schemas in place of those that the program knows; null for these. */
  readonly schemas: OwnSchemas | null;
}

/** Feature types of a folder with the paths of attributes that a package must or means to have. */
export interface ObjectList {
  types(folder: string): ReadonlyMap<string, ObjectPaths>;
}

export interface ObjectPaths {
  /** Each feature has them. */
  required: readonly string[];
  /** Some feature of the package has them. */
  target: readonly string[];
  /** A feature or its part has them. */
  conditional: readonly string[];
}

/** Looks at one file. */
export interface FileVisitor<Carry> {
  /** Which elements `element` is shown, asked once for each name, with and without attributes; all when absent. */
  looksAt?(name: string, hasAttributes: boolean): boolean;
  /** Every element of a member, parents before children; `above` has those that hold it, the feature first. */
  element?(element: XmlElement, above: readonly XmlElement[], member: Member): void;
  /** The whole member, after its elements. */
  member?(member: Member): void | Promise<void>;
  /** Appearances beside the members; null for one that is too large to be read whole. */
  appearance?(text: Buffer | null): void;
  /** After the last member; what is handed on. */
  end?(): Carry | undefined | Promise<Carry | undefined>;
}

/** What a file hands on to the end. */
export interface Carried<Carry> {
  /** Path of the file. */
  path: string;
  folder: string;
  carry: Carry;
}

/** What the end of an inspection can do. */
export interface JoinContext extends PackageContext {
  /** Paths of all files that were read, in order. */
  readonly paths: readonly string[];
  envelopeOf(path: string): FileEnvelope;
  /** `null`: of the package, and of no file. */
  report(path: string | null, finding: Finding): void;
  skipped(path: string, reason: string): void;
  /** Reads a file once more, where what was handed on does not suffice. */
  revisit(path: string, visitor: FileVisitor<unknown>): Promise<void>;
}

/** A check: its facts, and the code that looks. `Carry` must survive a structured clone. */
export interface Check<Carry = unknown> extends CheckFacts {
  /** Null when the check does not concern the file. */
  open(file: FileContext): FileVisitor<Carry> | null;
  /** Compares what files hand on, in the order of their paths. */
  join?(files: readonly Carried<Carry>[], context: JoinContext): void | Promise<void>;
}

/** Keeps the type of what a check hands on to itself. */
export function defineCheck<Carry>(check: Check<Carry>): Check {
  return check as Check;
}
