/** Reads the features of one type of one package. */
import {
  type CodeLabels,
  type CodeList,
  CodeLists,
  type CoordinateDefaults,
  codeSpacesOf,
  defaultsOf,
  FeatureXmlError,
  GmlTextError,
  MemberCutter,
  parseCodeList,
  parseFeature,
  type XmlElement,
} from '@citymodel/citygml';
import { gmlFilesOf, type PackageSource } from '../convert/package-source.ts';
import { type FeatureRecord, featureRecord } from './feature-record.ts';

/** Text of a feature up to which it is compared, bytes; in memory it takes some ten times as much. */
const WHOLE_FEATURE = 32 << 20;
/** A larger member is no code list, bytes. */
const MAX_LIST_BYTES = 2 << 20;
/** Code spaces of one file whose lists are kept; real files name some thirty. */
const MAX_CODE_SPACES = 1_000;
const FEATURE_MEMBERS = new Set(['core:cityObjectMember', 'gml:featureMember']);

/** What was not compared, and why. */
export interface NotRead {
  /** Features with more text than is compared. */
  tooLarge: number;
  /** Features that cannot be read. */
  broken: number;
  /** Files that are no XML from some place on. */
  brokenFiles: number;
}

export interface EditionHooks {
  onRecord(record: FeatureRecord): void;
  /** Bytes of text that were read. */
  onText(bytes: number): void;
}

/** Files of a type, and their bytes of text. */
export function filesOfType(source: PackageSource, type: string): { paths: string[]; bytes: number } {
  const files = gmlFilesOf(source).filter((file) => file.type === type);
  return { paths: files.map(({ path }) => path), bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

/** Reads every feature of the type, in the order of paths and texts. Throws MemberDamaged. */
export async function readEdition(
  source: PackageSource,
  type: string,
  hooks: EditionHooks,
): Promise<NotRead> {
  const notRead: NotRead = { tooLarge: 0, broken: 0, brokenFiles: 0 };
  const lists = new PackageLabels(source);
  for (const path of filesOfType(source, type).paths) {
    try {
      await readFile(source, path, lists, hooks, notRead);
    } catch (error) {
      if (!(error instanceof GmlTextError)) throw error;
      notRead.brokenFiles++;
    }
  }
  return notRead;
}

async function readFile(
  source: PackageSource,
  path: string,
  lists: PackageLabels,
  { onRecord, onText }: EditionHooks,
  notRead: NotRead,
): Promise<void> {
  const cutter = new MemberCutter(observed(source.read(path), onText), WHOLE_FEATURE);
  const labels = lists.of(path);
  let defaults: CoordinateDefaults = { srsName: null, srsDimension: null };
  try {
    for (let found = await cutter.next(); found !== null; found = await cutter.next()) {
      const isFeature = FEATURE_MEMBERS.has(found.name);
      if (!isFeature && found.name !== 'gml:boundedBy') continue;
      if (found.text === null) {
        notRead.tooLarge++;
        continue;
      }
      try {
        const element = parseFeature(found.text, cutter.context!);
        if (!isFeature) defaults = defaultsOf(element) ?? defaults;
        const [feature] = isFeature ? element.children : [];
        if (feature !== undefined) onRecord(featureRecord(feature, defaults, await labels.of(feature)));
      } catch (error) {
        if (!(error instanceof FeatureXmlError || error instanceof RangeError)) throw error;
        notRead.broken++;
      }
    }
  } finally {
    await cutter.close();
  }
}

/** Code lists of a package, each read once. */
class PackageLabels {
  readonly #source: PackageSource;
  readonly #lists = new CodeLists((path) => this.#load(path));
  /** Null for a list that the package lacks. */
  readonly #read = new Map<string, Promise<CodeList | null>>();

  constructor(source: PackageSource) {
    this.#source = source;
  }

  /** How codes in features of a file are looked up. */
  of(path: string): { of(feature: XmlElement): Promise<CodeLabels> } {
    const known = new Map<string, CodeLabels>();
    const lookUp: CodeLabels = (codeSpace, code) => known.get(codeSpace)?.(codeSpace, code);
    return {
      of: async (feature) => {
        const unknown = codeSpacesOf(feature, known);
        if (unknown.size > 0 && known.size < MAX_CODE_SPACES) {
          const labels = await this.#lists.labels(path, unknown);
          for (const codeSpace of unknown) known.set(codeSpace, labels);
        }
        return lookUp;
      },
    };
  }

  #load(path: string): Promise<CodeList | null> {
    let list = this.#read.get(path);
    if (list === undefined) {
      list = this.#source
        .member(path, MAX_LIST_BYTES)
        .then((bytes) => (bytes === null ? null : parseCodeList(bytes)));
      this.#read.set(path, list);
    }
    return list;
  }
}

async function* observed(
  text: AsyncIterable<Uint8Array>,
  onText: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of text) {
    onText(chunk.length);
    yield chunk;
  }
}
