/**
 * What elements of CityGML mean. Everything that holds inside an element and not after it (slot of geometry, CRS,
 * namespaces, …) is saved when the element changes it and restored at its end.
 *
 *   outside ──member──▶ in a member ──any element──▶ in a feature ──lodN…──▶ in a geometry property
 *                                                        │                        │ LinearRing, Point, …
 *                                                        └─ names, codes          ▼
 *                                                                             in a part ──posList──▶ numbers
 */
import { PartKind } from '../geometry/footprint.ts';
import { canonicalPrefix } from '../xml/namespaces.ts';
import { RootTag } from '../xml/root-tag.ts';
import type { FeatureScanner } from './scanner-features.ts';
import { NO_LOD, Slot } from './scanner-geometry.ts';
import type { MarkupReader } from './scanner-markup.ts';
import { AttributeRole, type ElementName, type NamespaceContext, Role } from './scanner-names.ts';
import { type CrsUse, hashBytes, type PartScanner } from './scanner-parts.ts';
import { type ElementHandler, Text } from './scanner-tags.ts';
import { decodeText } from './scanner-text.ts';

/** What holds inside an element and must be put back after it. */
interface Saved {
  depth: number;
  context: NamespaceContext;
  crs: CrsUse | null;
  dimension: number;
  slot: number;
  inProperty: boolean;
  inAttribute: boolean;
  skipping: boolean;
  id: number;
}

/** Knows what elements mean, and tells it to those who note geometry and features. */
export class ElementScanner implements ElementHandler {
  private readonly xml: MarkupReader;
  private readonly parts: PartScanner;
  private readonly features: FeatureScanner;

  private readonly saved: Saved[] = [];
  private savedCount = 0;
  private savedDepth = -1;
  readonly rootTag = new RootTag();

  citygmlVersion: string | null = null;
  readonly iurVersions = new Set<string>();

  constructor(xml: MarkupReader, parts: PartScanner, features: FeatureScanner) {
    this.xml = xml;
    this.parts = parts;
    this.features = features;
  }

  declared(uri: string): void {
    const canonical = canonicalPrefix(uri);
    if (canonical?.prefix === 'core') this.citygmlVersion ??= canonical.version;
    if (canonical?.prefix.startsWith('ur') && canonical.version !== null && this.iurVersions.size < 100) {
      this.iurVersions.add(canonical.version);
    }
  }

  // ---- elements

  opened(name: ElementName, at: number, tagEnd: number, outer: NamespaceContext): void {
    const { xml, parts, features } = this;
    const depth = xml.open.length;
    if (depth === 1) this.root(name, at, tagEnd);
    let saved: Saved | null = null;
    if (xml.context !== outer) {
      saved = this.save(depth);
      saved.context = outer;
    }
    const inFeature = parts.featureDepth > 0;
    let feature = false;
    if (!inFeature && features.memberDepth > 0 && depth === features.memberDepth + 1) {
      features.memberChildren++;
      feature = name.role !== Role.container;
      if (feature) features.beginFeature(depth, at);
    }

    let hasHref = false;
    let hasCodeSpace = false;
    let authorities = false;
    let srsDimension = 0;
    let crs: CrsUse | null = null;
    for (let k = 0; k < xml.attributeCount; k++) {
      const attribute = xml.attributes[k]!;
      if (attribute.context !== xml.context) xml.context.bind(attribute);
      if (attribute.unbound) throw xml.unbound(attribute.text.replace(/:.*/, ''), xml.valueStarts[k]!);
      const start = xml.valueStarts[k]!;
      const end = xml.valueEnds[k]!;
      switch (attribute.role) {
        case AttributeRole.id:
          if (feature) {
            features.featureId = features.idBytes(start, end);
          } else if (name.gml && inFeature && parts.inProperty && parts.geometry.wantsIds) {
            saved ??= this.save(depth);
            saved.id = parts.geometry.openId(
              hashBytes(xml.buffer, start, end, 31),
              hashBytes(xml.buffer, start, end, 0x01000193),
            );
          }
          break;
        case AttributeRole.href:
          hasHref = true;
          if (xml.buffer[start] !== 0x23)
            features.inventory.refer('hrefs', decodeText(xml.buffer, start, end));
          break;
        case AttributeRole.codeSpace:
          hasCodeSpace = true;
          authorities = features.codeSpace(name, start, end);
          break;
        case AttributeRole.srsName:
          crs = parts.crsUse(decodeText(xml.buffer, start, end).trim());
          break;
        case AttributeRole.srsDimension: {
          const value = Number(decodeText(xml.buffer, start, end));
          if (value === 2 || value === 3) srsDimension = value;
          break;
        }
        case AttributeRole.schemaLocation:
          features.inventory.schemaLocations(decodeText(xml.buffer, start, end));
          break;
      }
    }
    if (crs !== null || srsDimension !== 0) {
      saved ??= this.save(depth);
      if (crs !== null) {
        parts.crs = crs;
        parts.dimension = srsDimension;
      } else {
        parts.dimension = srsDimension;
      }
    }
    if (features.capturing !== null && depth > features.captureDepth) features.captured = '';
    if (name.role !== Role.none) this.openRole(name, depth, saved);
    if (authorities) features.startCapture(name, depth);
    if (name.role === Role.name && (hasCodeSpace || depth !== parts.featureDepth + 1)) features.stopCapture();
    if (name.role === Role.member && depth === features.memberDepth) {
      features.memberRefers = hasHref;
      if (features.onFeature !== undefined && !inFeature) features.memberLine = xml.lineAt(at);
      if (xml.context !== outer) this.keepDeclarations();
    }
    if (hasHref && parts.inProperty && !parts.skipping) parts.reference();
  }

  private openRole(name: ElementName, depth: number, saved: Saved | null): void {
    const { xml, parts, features } = this;
    const inFeature = parts.featureDepth > 0;
    switch (name.role) {
      case Role.member:
        if (!inFeature) {
          features.memberDepth = depth;
          features.memberChildren = 0;
        }
        break;
      case Role.lod:
      case Role.terrain:
      case Role.relief: {
        if (!inFeature) break;
        if (saved === null) this.save(depth);
        const lod = name.role === Role.relief ? parts.demLod : name.lod;
        const base = parts.inAttribute ? Slot.attribute : name.role === Role.terrain ? Slot.aside : Slot.body;
        parts.slot = name.solid && !parts.inAttribute ? Slot.lod1Solid : base + (lod < 0 ? NO_LOD : lod);
        parts.inProperty = true;
        break;
      }
      case Role.attributeObject:
        if (!inFeature) break;
        if (saved === null) this.save(depth);
        parts.inAttribute = true;
        parts.slot = Slot.attribute + NO_LOD;
        break;
      case Role.relative:
        if (saved === null) this.save(depth);
        parts.skipping = true;
        break;
      case Role.implicit:
        if (inFeature && parts.inProperty) parts.geometry.mark(parts.slot);
        break;
      case Role.envelope: {
        const use = parts.crs;
        if (use !== null && inFeature) {
          parts.featureCrs = use;
          parts.featureDimension = parts.dimension;
        } else if (use !== null && parts.fileCrs === null) {
          parts.fileCrs = use;
          parts.fileDimension = parts.dimension;
        }
        if (saved === null) this.save(depth);
        parts.skipping = true;
        break;
      }
      case Role.linearRing:
        parts.beginPart(parts.isHole ? PartKind.hole : PartKind.polygon);
        break;
      case Role.line:
        parts.beginPart(PartKind.line);
        break;
      case Role.point:
        parts.beginPart(PartKind.point);
        break;
      case Role.curveRing:
        if (inFeature && !parts.skipping) parts.geometry.notPlain(parts.slot);
        break;
      case Role.exterior:
        parts.isHole = false;
        break;
      case Role.interior:
        parts.isHole = true;
        break;
      case Role.positions:
      case Role.coordinates:
        parts.beginCoordinates();
        break;
      case Role.demLod:
      case Role.image:
      case Role.library:
      case Role.city:
      case Role.addressLine:
      case Role.locality:
      case Role.district:
        features.startCapture(name, depth);
        break;
      case Role.name:
        if (inFeature && xml.open[parts.featureDepth - 1]?.canonical.startsWith('bldg:')) {
          features.startCapture(name, depth);
        }
        break;
    }
  }

  closed(name: ElementName, at: number, end: number): void {
    const { xml, parts, features } = this;
    const depth = xml.open.length;
    if (features.capturing !== null && depth === features.captureDepth) features.endCapture();
    switch (name.role) {
      case Role.linearRing:
      case Role.line:
      case Role.point:
        parts.endPart(at);
        break;
      case Role.positions:
      case Role.coordinates:
        if (parts.partKind < 0 && parts.partStarted) parts.endPart(at);
        break;
      case Role.address:
        if (features.lineAddress !== '' && parts.featureDepth > 0)
          features.inventory.name('town', features.lineAddress);
        features.lineAddress = '';
        break;
      case Role.member:
        if (depth === features.memberDepth) features.endMember(at);
        break;
    }
    if (depth === parts.featureDepth) features.endFeature(name, end);
    if (depth === this.savedDepth) this.restore();
    if (features.capturing !== null && depth - 1 === features.captureDepth) xml.textMode = Text.captured;
  }

  private root(name: ElementName, at: number, end: number): void {
    const tag = Uint8Array.prototype.slice.call(this.xml.buffer, at, end);
    this.rootTag.set(
      tag,
      this.xml.attributes.slice(0, this.xml.attributeCount).map(({ text }) => text),
    );
    if (name.role !== Role.container) {
      this.xml.note(
        'NOT_CITYGML',
        'error',
        `The root element is ${name.canonical.slice(0, 100)}, expected core:CityModel.`,
        this.xml.base + at,
      );
    }
  }

  private keepDeclarations(): void {
    for (let k = 0; k < this.xml.attributeCount; k++) {
      const { text, declares } = this.xml.attributes[k]!;
      if (!declares) continue;
      this.rootTag.declare(
        text,
        this.xml.buffer.subarray(this.xml.valueStarts[k]! - 1, this.xml.valueEnds[k]! + 1),
      );
    }
  }

  private save(depth: number): Saved {
    const { xml, parts } = this;
    const index = this.savedCount++;
    let state = this.saved[index];
    if (state === undefined) {
      state = {} as Saved;
      this.saved[index] = state;
    }
    state.depth = depth;
    state.context = xml.context;
    state.crs = parts.crs;
    state.dimension = parts.dimension;
    state.slot = parts.slot;
    state.inProperty = parts.inProperty;
    state.inAttribute = parts.inAttribute;
    state.skipping = parts.skipping;
    state.id = Number.NaN;
    this.savedDepth = depth;
    return state;
  }

  private restore(): void {
    const { xml, parts } = this;
    const state = this.saved[--this.savedCount]!;
    if (!Number.isNaN(state.id)) parts.geometry.closeId(state.id);
    xml.context = state.context;
    parts.crs = state.crs;
    parts.dimension = state.dimension;
    parts.slot = state.slot;
    parts.inProperty = state.inProperty;
    parts.inAttribute = state.inAttribute;
    parts.skipping = state.skipping;
    this.savedDepth = this.savedCount === 0 ? -1 : this.saved[this.savedCount - 1]!.depth;
  }
}
