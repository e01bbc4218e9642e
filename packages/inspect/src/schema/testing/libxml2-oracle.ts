/** libxml2 with the XSDs beside the checkout: what another validator finds in a text. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  XmlBufferInputProvider,
  XmlDocument,
  XmlParseError,
  XmlValidateError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';

const DATA = resolve(import.meta.dirname, '../../../../../../shared/data/schema');
/** Where the schemas lie for libxml2, which fetches nothing. */
const BASE = 'http://schemas.invalid/';

/** Why there is no oracle; false when there is one. */
export const NO_SCHEMAS = existsSync(join(DATA, 'ogc')) ? false : 'the XSDs are not here';

const ROOTS = {
  4: ['ogc/citygml/2.0/*.xsd', 'iur-3.*/*.xsd'],
  6: ['ogc/citygml/3.0/*.xsd', 'iur-4.*/*.xsd'],
} as const;

export class Libxml2Oracle {
  readonly #validator: XsdValidator;

  constructor(spec: 4 | 6) {
    const files: Record<string, Uint8Array> = {};
    for (const file of globSync(['ogc/**/*.xsd', 'iur-*/*.xsd'], { cwd: DATA })) {
      const text = readFileSync(join(DATA, file), 'utf8').replace(/^\ufeff/, '');
      files[BASE + file] = Buffer.from(relocated(text));
    }
    xmlRegisterInputProvider(new XmlBufferInputProvider(files));
    const imports = ROOTS[spec]
      .flatMap((pattern) => globSync(pattern, { cwd: DATA }).sort())
      .map((file) => {
        const namespace = /targetNamespace="([^"]*)"/.exec(
          Buffer.from(files[BASE + file]!).toString('utf8'),
        )![1];
        return `<xs:import namespace="${namespace}" schemaLocation="${BASE}${file}"/>`;
      });
    const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${imports.join('')}</xs:schema>`;
    using document = XmlDocument.fromString(schema, { url: `${BASE}all.xsd` });
    this.#validator = XsdValidator.fromDoc(document);
  }

  /** Faults that differ in their message or line; null for a text that is not well-formed. */
  faults(text: Uint8Array): string[] | null {
    using document = parsed(text);
    if (document === null) return null;
    try {
      this.#validator.validate(document);
      return [];
    } catch (error) {
      if (!(error instanceof XmlValidateError)) throw error;
      return [...new Set(error.details.map(({ line, message }) => `${line} ${message.trim()}`))];
    }
  }

  [Symbol.dispose](): void {
    this.#validator.dispose();
  }
}

function parsed(text: Uint8Array): XmlDocument | null {
  try {
    return XmlDocument.fromBuffer(text);
  } catch (error) {
    if (error instanceof XmlParseError) return null;
    throw error;
  }
}

function relocated(text: string): string {
  return text
    .replace(
      /"http:\/\/schemas\.opengis\.net\/citygml\/(?:[a-zA-Z]+\/)?(\d\.0)\//g,
      `"${BASE}ogc/citygml/$1/`,
    )
    .replaceAll('"http://schemas.opengis.net/gml/3.1.1/', `"${BASE}ogc/gml/3.1/`)
    .replaceAll('"http://schemas.opengis.net/gml/3.2.1/', `"${BASE}ogc/gml/3.2/`)
    .replace(/"http:\/\/www\.w3\.org\/\d+(?:\/\d+)?\/xml\.xsd"/g, `"${BASE}ogc/xml/xml.xsd"`)
    .replace(/"\.\.\/\.\.\/ur[a-z]\/(\d\.\d)\//g, `"${BASE}iur-$1/`);
}
