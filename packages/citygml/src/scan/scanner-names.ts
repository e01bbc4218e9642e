/**
 * Names of elements and attributes as the scanner sees them: interned by their bytes, so that one comparison
 * of bytes finds out everything that the scan needs to know about a tag.
 */

import { randomBytes } from 'node:crypto';
import { LOD_DIGIT } from '@citymodel/base';
import { type CanonicalNamespace, canonicalPrefix, isOwnPrefix } from '../xml/namespaces.ts';
import { Token } from './scanner-token.ts';

/** Beginning of a property with geometry. */
const LOD = new RegExp(`^lod(${LOD_DIGIT})(?=[A-Z])`);

const TAG = Buffer.from('<');
const END_TAG = Buffer.from('</');
const TAG_END = Buffer.from('>');

/** What an element means to the scan; most mean nothing. */
export const Role = {
  none: 0,
  /** Root of a model or collection: never a feature. */
  container: 1,
  /** `core:cityObjectMember`, `gml:featureMember(s)`: its children are the top-level features. */
  member: 2,
  /** Property with geometry of one LOD. */
  lod: 3,
  /** `lodNTerrainIntersection`, `dem:extent`, `gml:location`: geometry that is not the feature's shape. */
  terrain: 4,
  /** Property of `dem` whose LOD is the value of `dem:lod`. */
  relief: 5,
  /** Object of attributes, such as `uro:DmGeometricAttribute`: geometry inside serves only if there is no other. */
  attributeObject: 6,
  /** Prototype of an implicit geometry, or a picture's reference point: coordinates that are not the feature's. */
  relative: 7,
  implicit: 8,
  linearRing: 9,
  line: 10,
  point: 11,
  /** Curves as a ring: the area is known only after joining them. */
  curveRing: 12,
  exterior: 13,
  interior: 14,
  /** `gml:pos`, `gml:posList`. */
  positions: 15,
  /** `gml:coordinates`: commas inside a position. */
  coordinates: 16,
  /** `gml:Envelope`: carries the CRS of what lies beside it. */
  envelope: 17,
  /** Elements whose text matters, from here on. */
  demLod: 18,
  image: 19,
  library: 20,
  name: 21,
  locality: 22,
  district: 23,
  addressLine: 24,
  city: 25,
  /** `xAL:AddressDetails`: ends an address. */
  address: 26,
} as const;

/** An element name in one namespace context. */
export interface ElementName {
  /** As written, prefix included. */
  bytes: Uint8Array;
  hash: number;
  /** `<name`, and `</name>`. */
  opening: Token;
  closing: Token;
  /** Prefix as written, or ''. */
  prefix: string;
  /**
   * Qualified name with the canonical prefix where the namespace is known; `x-` before one of these in an unknown
   * namespace.
   */
  canonical: string;
  role: number;
  /** LOD of a property, or -1. */
  lod: number;
  /** True for `lod1Solid`. */
  solid: boolean;
  gml: boolean;
  /** True when the prefix is not declared. */
  unbound: boolean;
  /** False for what is no name at all, such as `a:b:c`. */
  qualified: boolean;
  /** Names that followed this one's start tag and end tag last time: a guess that is nearly always right. */
  afterStart: ElementName | null;
  afterEnd: ElementName | null;
  /** The first attribute of this element last time, another guess of that kind. */
  attribute: AttributeName | null;
  /** The `codeSpace` seen last on this element, and whether it lists public authorities. */
  codeSpace: Token | null;
  /** The scan that has noted it. */
  codeSpaceScan: number;
  authorities: boolean;
}

export const AttributeRole = {
  none: 0,
  xmlns: 1,
  id: 2,
  href: 3,
  codeSpace: 4,
  srsName: 5,
  srsDimension: 6,
  schemaLocation: 7,
} as const;

/** An attribute name; what a prefix means depends on the context, so `role` holds for `context` only. */
export interface AttributeName {
  bytes: Uint8Array;
  hash: number;
  /** `name="`. */
  opening: Token;
  text: string;
  /** True for `xmlns` and `xmlns:…`. */
  declares: boolean;
  context: NamespaceContext | null;
  role: number;
  unbound: boolean;
}

/**
 * Factor of the polynomial hash of names: another one in each process, so that nobody can prepare names that collide.
 */
export const HASH_FACTOR = (randomBytes(4).readUInt32LE() & ~7) | 5;

/** Children of one context that are remembered, and bindings and names in all of them together. */
const MAX_CHILDREN = 100;
const MAX_REMEMBERED = 20_000;

/**
 * Prefixes and what they are bound to, with the element names interned under these bindings. A context has what its own
 * element declares and asks the outer context for the rest. So nested declarations take no more memory than their text.
 */
export class NamespaceContext {
  readonly #outer: NamespaceContext | null;
  readonly #declared: ReadonlyMap<string, string>;
  /** Declarations from the root to here. */
  readonly inScope: number;
  readonly elements = new NameTable<ElementName>();
  /** Contexts that further declarations lead to, by their text. */
  readonly children = new Map<string, NamespaceContext>();
  /** Stands for the tag before the first one in this context. */
  readonly anchor: ElementName;
  /** How many names and bindings this context holds, and all that are tied to it by `extend`. */
  readonly tally: { names: number };

  constructor(
    declared: ReadonlyMap<string, string>,
    outer: NamespaceContext | null = null,
    tally = { names: 0 },
  ) {
    this.#outer = outer;
    this.#declared = declared;
    this.inScope = declared.size + (outer?.inScope ?? 0);
    this.tally = tally;
    this.anchor = this.describe(Buffer.from(':'), 0);
  }

  /** The context inside an element that declares `declared` (prefix → namespace); remembered, up to a limit. */
  extend(declared: ReadonlyArray<readonly [prefix: string, uri: string]>): NamespaceContext {
    if (declared.every(([prefix, uri]) => this.binding(prefix) === uri)) return this;
    const key = JSON.stringify(declared);
    let child = this.children.get(key);
    if (child === undefined) {
      const isRemembered = this.children.size < MAX_CHILDREN && this.tally.names < MAX_REMEMBERED;
      // What is not remembered goes with its element, and so do its names.
      child = new NamespaceContext(new Map(declared), this, isRemembered ? this.tally : { names: 0 });
      if (isRemembered) {
        this.tally.names += declared.length;
        this.children.set(key, child);
      }
    }
    return child;
  }

  /** What a prefix is bound to, here or further out. */
  private binding(prefix: string): string | undefined {
    for (let context: NamespaceContext | null = this; context !== null; context = context.#outer) {
      const uri = context.#declared.get(prefix);
      if (uri !== undefined) return uri;
    }
    return undefined;
  }

  /** The element name in `bytes[from, to)`. */
  element(bytes: Buffer, from: number, to: number, hash: number): ElementName {
    const existing = this.elements.find(bytes, from, to, hash);
    if (existing !== undefined) return existing;
    this.tally.names++;
    return this.elements.add(this.describe(new Uint8Array(bytes.subarray(from, to)), hash));
  }

  /** Namespace of a prefix: undefined when it is not declared; '' is the default namespace, which may be none. */
  private namespace(prefix: string): string | undefined {
    if (prefix === 'xml') return 'http://www.w3.org/XML/1998/namespace';
    const uri = this.binding(prefix);
    return prefix === '' ? (uri ?? '') : uri === '' ? undefined : uri;
  }

  /** Binds an attribute name to this context. */
  bind(attribute: AttributeName): void {
    const { prefix, local } = split(attribute.text);
    attribute.context = this;
    attribute.unbound = false;
    attribute.role = AttributeRole.none;
    if (prefix === 'xmlns' || attribute.text === 'xmlns') {
      attribute.role = AttributeRole.xmlns;
    } else if (prefix === '') {
      if (local === 'codeSpace') attribute.role = AttributeRole.codeSpace;
      else if (local === 'srsName') attribute.role = AttributeRole.srsName;
      else if (local === 'srsDimension') attribute.role = AttributeRole.srsDimension;
    } else {
      const uri = this.namespace(prefix);
      const canonical = uri === undefined ? null : canonicalPrefix(uri);
      attribute.unbound = uri === undefined;
      if (canonical?.prefix === 'gml' && local === 'id') attribute.role = AttributeRole.id;
      else if (canonical?.prefix === 'xlink' && local === 'href') attribute.role = AttributeRole.href;
      else if (canonical?.prefix === 'xsi' && local === 'schemaLocation')
        attribute.role = AttributeRole.schemaLocation;
    }
  }

  private describe(bytes: Uint8Array, hash: number): ElementName {
    const { prefix, local } = split(Buffer.from(bytes).toString());
    const uri = this.namespace(prefix);
    const canonical = uri === undefined ? null : canonicalPrefix(uri);
    const lod = LOD.exec(local);
    return {
      bytes,
      hash,
      opening: new Token(Buffer.concat([TAG, bytes])),
      closing: new Token(Buffer.concat([END_TAG, bytes, TAG_END])),
      prefix,
      canonical: canonical === null ? foreignName(prefix, local, uri) : `${canonical.prefix}:${local}`,
      role: roleOf(canonical, local),
      lod: lod === null ? -1 : Number(lod[1]),
      solid: local === 'lod1Solid',
      gml: canonical?.prefix === 'gml',
      unbound: uri === undefined,
      qualified: isQualifiedName(Buffer.from(bytes).toString()),
      afterStart: null,
      afterEnd: null,
      attribute: null,
      codeSpace: null,
      codeSpaceScan: 0,
      authorities: false,
    };
  }
}

const GML_ROLES: Record<string, number> = {
  FeatureCollection: Role.container,
  featureMember: Role.member,
  featureMembers: Role.member,
  Envelope: Role.envelope,
  EnvelopeWithTimePeriod: Role.envelope,
  LinearRing: Role.linearRing,
  LineString: Role.line,
  LineStringSegment: Role.line,
  Arc: Role.line,
  ArcString: Role.line,
  Circle: Role.line,
  CubicSpline: Role.line,
  Point: Role.point,
  Ring: Role.curveRing,
  exterior: Role.exterior,
  outerBoundaryIs: Role.exterior,
  interior: Role.interior,
  innerBoundaryIs: Role.interior,
  pos: Role.positions,
  posList: Role.positions,
  coordinates: Role.coordinates,
  name: Role.name,
  location: Role.terrain,
};

const CORE_ROLES: Record<string, number> = {
  CityModel: Role.container,
  cityObjectMember: Role.member,
  featureMember: Role.member,
  ImplicitGeometry: Role.implicit,
  relativeGMLGeometry: Role.relative,
  relativeGeometry: Role.relative,
  libraryObject: Role.library,
};

const XAL_ROLES: Record<string, number> = {
  AddressDetails: Role.address,
  LocalityName: Role.locality,
  DependentLocalityName: Role.district,
  AddressLine: Role.addressLine,
};

const RELIEF_ROLES: Record<string, number> = {
  tin: Role.relief,
  grid: Role.relief,
  reliefPoints: Role.relief,
  ridgeOrValleyLines: Role.relief,
  extent: Role.terrain,
  lod: Role.demLod,
};

function roleOf(namespace: CanonicalNamespace | null, local: string): number {
  const lookUp = (table: Record<string, number>) => (Object.hasOwn(table, local) ? table[local]! : Role.none);
  switch (namespace?.prefix) {
    case 'gml':
      return lookUp(GML_ROLES);
    case 'xAL':
      return lookUp(XAL_ROLES);
    case 'app':
      return local === 'imageURI' ? Role.image : local === 'referencePoint' ? Role.relative : Role.none;
  }
  const role =
    namespace?.prefix === 'core'
      ? lookUp(CORE_ROLES)
      : namespace?.prefix === 'dem'
        ? lookUp(RELIEF_ROLES)
        : Role.none;
  if (role !== Role.none) return role;
  if (/^lod[0-4][A-Z]/.test(local)) return /TerrainIntersection/.test(local) ? Role.terrain : Role.lod;
  if (/^[A-Z].*Attribute$|^DmAnnotation$/.test(local)) return Role.attributeObject;
  if (local === 'city' && namespace?.prefix.startsWith('ur')) return Role.city;
  if (local === 'FeatureCollection') return Role.container;
  return Role.none;
}

function split(name: string): { prefix: string; local: string } {
  const colon = name.indexOf(':');
  return colon < 0
    ? { prefix: '', local: name }
    : { prefix: name.slice(0, colon), local: name.slice(colon + 1) };
}

/**
 * Name of an element outside of the namespaces that are known, as answers name it too (`NamespaceContext.element` of
 * `feature-xml.ts`).
 */
function foreignName(prefix: string, local: string, uri: string | undefined): string {
  if (prefix === '') return local;
  return uri !== undefined && isOwnPrefix(prefix) ? `x-${prefix}:${local}` : `${prefix}:${local}`;
}

/**
 * True for `prefix:local` or `local`: at most one colon, with something on either side (Namespaces in XML 1.0, section
 * 4).
 */
export function isQualifiedName(name: string): boolean {
  return /^[^:]+(:[^:]+)?$/.test(name) && !/(^|:)[-.0-9]/.test(name);
}

/** Hash table of names by their bytes. Names with the same hash are told apart by comparing. */
export class NameTable<T extends { bytes: Uint8Array; hash: number }> {
  size = 0;
  private readonly byHash = new Map<number, T[]>();

  find(bytes: Buffer, from: number, to: number, hash: number): T | undefined {
    const bucket = this.byHash.get(hash);
    if (bucket === undefined) return undefined;
    for (const candidate of bucket) {
      if (sameBytes(candidate.bytes, bytes, from, to)) return candidate;
    }
    return undefined;
  }

  add(entry: T): T {
    this.size++;
    const bucket = this.byHash.get(entry.hash);
    if (bucket === undefined) this.byHash.set(entry.hash, [entry]);
    else bucket.push(entry);
    return entry;
  }
}

/** True when `bytes[from, to)` equals `known`. */
function sameBytes(expected: Uint8Array, bytes: Buffer, from: number, to: number): boolean {
  const length = expected.length;
  if (to - from !== length) return false;
  for (let k = 0; k < length; k++) if (expected[k] !== bytes[from + k]) return false;
  return true;
}
