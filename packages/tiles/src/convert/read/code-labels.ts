/** Words of codes in the features of one GML file: lists are read when a feature first names them. */
import {
  type CodeLabels,
  type CodeList,
  CodeLists,
  codeSpacesOf,
  parseCodeList,
  type XmlElement,
} from '@citymodel/citygml';
import type { GmlSource } from '../part-maker.ts';

/** A larger member is no code list, bytes: the largest real one has 0.6 MB. */
const MAX_LIST_BYTES = 2 << 20;
/** Code spaces of one file whose lists are kept; real files name some thirty. */
const MAX_CODE_SPACES = 1_000;

export class GmlCodeLabels {
  readonly #gml: GmlSource;
  readonly #lists: CodeLists;
  /** Lists by path; null for one that the package lacks. */
  readonly #read = new Map<string, Promise<CodeList | null>>();
  readonly #labels = new Map<string, CodeLabels>();

  constructor(gml: GmlSource) {
    this.#gml = gml;
    this.#lists = new CodeLists((path) => this.#load(path));
  }

  /** How codes in the feature are looked up; every list that it names is loaded then. */
  async of(feature: XmlElement): Promise<CodeLabels> {
    const unknown = codeSpacesOf(feature, this.#labels);
    if (unknown.size > 0 && this.#labels.size < MAX_CODE_SPACES) {
      const labels = await this.#lists.labels(this.#gml.path, unknown);
      for (const codeSpace of unknown) this.#labels.set(codeSpace, labels);
    }
    return this.#lookUp;
  }

  readonly #lookUp: CodeLabels = (codeSpace, code) => this.#labels.get(codeSpace)?.(codeSpace, code);

  #load(path: string): Promise<CodeList | null> {
    let list = this.#read.get(path);
    if (list === undefined) {
      list = this.#gml
        .member(path, MAX_LIST_BYTES)
        .then((bytes) => (bytes === null ? null : parseCodeList(bytes)));
      this.#read.set(path, list);
    }
    return list;
  }
}
