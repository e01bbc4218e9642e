/**
 * Namespaces of CityGML data and the prefixes that this service writes for them, whatever prefix a file
 * uses. Hosts, schemes, versions and a slash at the end differ between data of different years; modules are
 * recognised by pattern, so that a version that does not exist yet is still read.
 */
import { withoutEnd } from '@citymodel/base';
import { iurModule } from './iur-versions.ts';
import { Remembered } from './remembered.ts';

export interface CanonicalNamespace {
  /** The usual prefix: `bldg`, `gml`, `uro`, … */
  prefix: string;
  /**
   * Version as written in the name (`2.0`, `3.1`); GML 3.1's own name has none and yields `3.1`; null where there is no
   * such thing.
   */
  version: string | null;
}

/** Last part of a module's namespace (OGC 12-019, table 4; OGC 20-010, section 7) → usual prefix. */
const CITYGML_MODULES: Record<string, string> = {
  core: 'core',
  appearance: 'app',
  bridge: 'brid',
  building: 'bldg',
  cityfurniture: 'frn',
  cityobjectgroup: 'grp',
  construction: 'con',
  dynamizer: 'dyn',
  generics: 'gen',
  landuse: 'luse',
  pointcloud: 'pcl',
  relief: 'dem',
  texturedsurface: 'tex',
  transportation: 'tran',
  tunnel: 'tun',
  vegetation: 'veg',
  versioning: 'vers',
  waterbody: 'wtr',
  'profiles/base': 'pbase',
};

const FIXED: Record<string, CanonicalNamespace> = {
  'www.w3.org/1999/xlink': { prefix: 'xlink', version: null },
  'www.w3.org/2001/xmlschema-instance': { prefix: 'xsi', version: null },
  'www.w3.org/xml/1998/namespace': { prefix: 'xml', version: null },
  'www.w3.org/2000/xmlns': { prefix: 'xmlns', version: null },
  'www.w3.org/2001/smil20': { prefix: 'smil20', version: null },
  'www.w3.org/2001/smil20/language': { prefix: 'smil20lang', version: null },
  'www.ascc.net/xml/schematron': { prefix: 'sch', version: null },
};

const CITYGML = /^(?:www\.)?opengis\.net\/citygml(?:\/([a-z/]+))?\/(\d+(?:\.\d+)*)$/;
const GML = /^(?:www\.)?opengis\.net\/gml(?:\/(\d+(?:\.\d+)*)(?:\/[a-z/]+)?)?$/;
const XAL = /^urn:oasis:names:tc:ciq:(?:xsdschema:)?xal:(\d+(?:\.\d+)*)$/;

/** Prefixes that this service writes for namespaces that it knows; another namespace may not pass for one of them. */
const OWN_PREFIXES = new Set([
  ...Object.values(CITYGML_MODULES),
  ...Object.values(FIXED).map(({ prefix }) => prefix),
  'gml',
  'xAL',
]);

/**
 * True for a prefix that stands for a known namespace in answers, whatever a file binds it to: `gml`, `bldg`, `uro`.
 */
export function isOwnPrefix(prefix: string): boolean {
  return OWN_PREFIXES.has(prefix) || /^ur[a-z]$/.test(prefix);
}

/** What the prefix `xml` is bound to without a declaration. */
export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/**
 * Why a declaration of a prefix ('' for the default namespace) is not allowed (Namespaces in XML 1.0, section 3); null
 * when it is. `xml` is bound to its own namespace alone, `xmlns` is never declared, and nothing else is bound to
 * theirs. No prefix is bound to nothing.
 */
export function declarationFault(prefix: string, uri: string): string | null {
  if (prefix === 'xmlns') return 'The prefix xmlns is declared, which XML keeps to itself.';
  if (prefix === 'xml') {
    return uri === XML_NAMESPACE ? null : 'The prefix xml is bound to another namespace than that of XML.';
  }
  if (uri === XML_NAMESPACE || uri === XMLNS_NAMESPACE) {
    return `The namespace ${uri} is bound to another prefix than its own.`;
  }
  return prefix !== '' && uri === '' ? `The prefix ${prefix.slice(0, 100)} is bound to nothing.` : null;
}

const namespaces = new Remembered(recognise, 1_000);

/**
 * The usual prefix and version of a namespace name; null for one that is not of CityGML's world. Scheme
 * (`http` or `https`), letter case and slashes at the end are ignored.
 */
export function canonicalPrefix(namespaceUri: string): CanonicalNamespace | null {
  return namespaces.of(namespaceUri);
}

function recognise(namespaceUri: string): CanonicalNamespace | null {
  if (namespaceUri.length > 300) return null;
  const name = withoutEnd(
    namespaceUri
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\//, ''),
    '/',
  );
  const fixed = Object.hasOwn(FIXED, name) ? FIXED[name] : undefined;
  if (fixed !== undefined) return fixed;
  const citygml = CITYGML.exec(name);
  if (citygml !== null) {
    const module = citygml[1] ?? 'core';
    const prefix = Object.hasOwn(CITYGML_MODULES, module) ? CITYGML_MODULES[module] : undefined;
    return prefix === undefined ? null : { prefix, version: citygml[2]! };
  }
  const gml = GML.exec(name);
  if (gml !== null) return { prefix: 'gml', version: gml[1] ?? '3.1' };
  const iur = iurModule(name);
  if (iur !== null) return iur;
  const xal = XAL.exec(name);
  if (xal !== null) return { prefix: 'xAL', version: xal[1]! };
  return null;
}
