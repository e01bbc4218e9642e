/** Compares texts with XSDs by libxml2, which has no way to a network or a disk here. */
import {
  ParseOption,
  XmlBufferInputProvider,
  XmlDocument,
  type XmlElement,
  XmlError,
  XmlLibError,
  XmlValidateError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import { type OwnComparison, type OwnFault, SchemasRefused, type XsdFile } from './own-schemas.ts';
import { ALL, XsdSet } from './xsd-set.ts';

/** Faults of a text that are kept; all are counted. */
const KEPT = 10_000;
const LONGEST_MESSAGE = 500;
/** Schemas that are kept ready: one for each choice among XSDs of the same namespace. */
const KEPT_SCHEMAS = 4;
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
/** Lines beyond 65,535, and texts of any length; entities cannot be declared in what is parsed. */
const PARSING =
  ParseOption.XML_PARSE_BIG_LINES |
  ParseOption.XML_PARSE_HUGE |
  ParseOption.XML_PARSE_COMPACT |
  ParseOption.XML_PARSE_NO_XXE;

/** Texts that schemas include; one provider serves all schemas of the process. */
const TEXTS: Record<string, Uint8Array> = {};
let isRegistered = false;

export class Libxml2Schemas {
  readonly #set: XsdSet;
  readonly #ready = new Map<string, XsdValidator>();
  readonly #onReady: () => void;

  /** `onReady` is called before a text is compared. Throws SchemasRefused for XSDs that cannot be used. */
  constructor(files: readonly XsdFile[], onReady: () => void = () => {}) {
    this.#set = new XsdSet(files);
    this.#onReady = onReady;
  }

  /** Compares a text. Throws SchemasRefused for XSDs that are no schema. */
  compare(text: Uint8Array): OwnComparison {
    if (mayDeclareEntities(text)) return skip('A file with a document type was not compared with the XSDs.');
    let document: XmlDocument;
    try {
      document = XmlDocument.fromBuffer(text, { option: PARSING });
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      return skip(`libxml2 cannot read the file: ${messageOf(error)}`);
    }
    try {
      const { root } = document;
      const namespace = root.namespaceUri;
      if (!this.#set.has(namespace)) {
        return skip(`No XSD has the namespace of the root element {${namespace.slice(0, 200)}}${root.name}.`);
      }
      const validator = this.#validatorFor(root);
      this.#onReady();
      return faultsOf(document, validator);
    } finally {
      document.dispose();
    }
  }

  [Symbol.dispose](): void {
    for (const validator of this.#ready.values()) validator.dispose();
    this.#ready.clear();
  }

  #validatorFor(root: XmlElement): XsdValidator {
    const location = root.attrs.find(
      ({ name, namespaceUri }) => name === 'schemaLocation' && namespaceUri === XSI,
    );
    const { key, chosen } = this.#set.chosenBy(location?.value ?? '');
    let validator = this.#ready.get(key);
    if (validator !== undefined) return validator;
    const [oldest] = this.#ready;
    if (this.#ready.size >= KEPT_SCHEMAS && oldest !== undefined) {
      this.#ready.delete(oldest[0]);
      oldest[1].dispose();
    }
    validator = compile(this.#set, chosen);
    this.#ready.set(key, validator);
    return validator;
  }
}

function compile(set: XsdSet, chosen: ReadonlyMap<string, string>): XsdValidator {
  if (!isRegistered) isRegistered = xmlRegisterInputProvider(new XmlBufferInputProvider(TEXTS));
  const texts = set.texts(chosen);
  Object.assign(TEXTS, Object.fromEntries(texts));
  try {
    using document = XmlDocument.fromBuffer(texts.get(ALL)!, { url: ALL });
    return XsdValidator.fromDoc(document);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const path = set.pathAt(firstOf(error)?.file ?? '');
    const where = path === null ? '' : ` ${path},`;
    throw new SchemasRefused(`libxml2 cannot use the XSDs:${where} ${messageOf(error)}`);
  } finally {
    for (const address of texts.keys()) delete TEXTS[address];
  }
}

function faultsOf(document: XmlDocument, validator: XsdValidator): OwnComparison {
  try {
    validator.validate(document);
    return { faults: [], left: 0, skipped: null };
  } catch (error) {
    if (!(error instanceof XmlValidateError)) {
      if (!(error instanceof XmlError)) throw error;
      return skip(`libxml2 cannot compare the file with the XSDs: ${messageOf(error)}`);
    }
    const faults: OwnFault[] = [];
    const seen = new Set<string>();
    for (const { line, message } of error.details) {
      const fault = { line, message: shortened(message) };
      const key = `${line} ${fault.message}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (faults.length < KEPT) faults.push(fault);
    }
    return { faults, left: seen.size - faults.length, skipped: null };
  }
}

/** Also true for texts whose characters are no bytes, in which none is looked for. */
function mayDeclareEntities(text: Uint8Array): boolean {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return bytes.subarray(0, 4).some((byte) => byte === 0 || byte >= 0xfe) || bytes.includes('<!DOCTYPE');
}

function skip(reason: string): OwnComparison {
  return { faults: [], left: 0, skipped: reason };
}

function firstOf(error: XmlError) {
  return error instanceof XmlLibError ? error.details[0] : undefined;
}

/** The first error that libxml2 tells, with its line. */
function messageOf(error: XmlError): string {
  const first = firstOf(error);
  return first === undefined ? shortened(error.message) : `line ${first.line}: ${shortened(first.message)}`;
}

function shortened(message: string): string {
  const text = message.trim();
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
