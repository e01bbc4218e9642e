/**
 * The single pass over a CityGML file: features, levels of detail, boxes, footprints, references and names,
 * from bytes in chunks of any size, in memory that only the index makes grow.
 *
 * Each class extends the one before: bytes (`scanner-input.ts`), tags (`scanner-tags.ts`), text and other markup
 * (`scanner-markup.ts`), coordinates (`scanner-parts.ts`), features (`scanner-features.ts`). Here is what elements
 * mean. Everything that holds inside an element and not after it (slot of geometry, CRS, namespaces, …) is saved when
 * the element changes it and restored at its end.
 *
 *   outside ──member──▶ in a member ──any element──▶ in a feature ──lodN…──▶ in a geometry property
 *                                                        │                        │ LinearRing, Point, …
 *                                                        └─ names, codes          ▼
 *                                                                             in a part ──posList──▶ numbers
 */

import { compareTexts } from '@citymodel/base';
import { PartKind } from '../geometry/footprint.ts';
import { canonicalPrefix } from '../xml/namespaces.ts';
import { RootTag } from '../xml/root-tag.ts';
import { FeatureScanner, type GmlScannerOptions } from './scanner-features.ts';
import { NO_LOD, Slot } from './scanner-geometry.ts';
import { MAX_REFERENCE_LENGTH } from './scanner-inventory.ts';
import { ScannerMemory } from './scanner-memory.ts';
import { AttributeRole, type ElementName, type NamespaceContext, Role } from './scanner-names.ts';
import { type CrsUse, hashBytes } from './scanner-parts.ts';
import { Text } from './scanner-tags.ts';
import { decodeText } from './scanner-text.ts';
import type { GmlSummary } from './summary.ts';

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

/** Scans one GML. Push its bytes in order, then `end` once. No bytes make it throw. */
export class GmlScanner extends FeatureScanner {
  private readonly saved: Saved[] = [];
  private savedCount = 0;
  private savedDepth = -1;
  private readonly rootTag = new RootTag();

  private citygmlVersion: string | null = null;
  private readonly iurVersions = new Set<string>();

  constructor(options: GmlScannerOptions) {
    super(options, options.memory ?? new ScannerMemory());
  }

  /** Offset from which on text belongs to no feature that has ended: of the open one, else of what is unread. */
  get openFrom(): number {
    return this.featureDepth > 0 ? this.featureStart : this.readTo;
  }

  /** The start tag of the root with what members before have declared beside it; empty before the root. */
  get rootStartTag(): Uint8Array {
    return this.rootTag.bytes;
  }

  /** Ends the text. */
  end(): GmlSummary {
    const wellFormed = this.endText();
    const { references, areaCodes, places } = this.inventory.result();
    this.noteReferences();
    const fallback = this.fileCrs;
    return {
      size: this.size,
      features: this.index.features,
      featuresWithoutId: this.index.withoutId,
      lods: this.lods,
      extent: this.extent,
      crs: [...this.crsUses.values()]
        .filter((use) => use.uses > 0)
        .sort((a, b) => b.uses - a.uses)
        .map((use) => (use.crs === null ? use.srsName : `EPSG:${use.crs.epsg}`))
        .filter((name, i, all) => all.indexOf(name) === i),
      elements: [...this.elements]
        .map(([name, count]) => ({ name, count }))
        .sort((a, b) => b.count - a.count || compareTexts(a.name, b.name)),
      citygmlVersion: this.citygmlVersion,
      iurVersions: [...this.iurVersions].sort(),
      references,
      areaCodes,
      places,
      wellFormed,
      overBudget: this.overBudget,
      referenceSteps: this.geometry.allSteps,
      featureIndex: this.index.finish(this.rootTag.bytes, {
        srsName: fallback?.srsName ?? '',
        srsDimension: this.fileDimension === 0 ? '' : String(this.fileDimension),
      }),
    };
  }

  private noteReferences(): void {
    const { tooLong, tooMany } = this.inventory;
    if (tooLong > 0) {
      const message = `${tooLong} references are longer than ${MAX_REFERENCE_LENGTH} characters and are not followed.`;
      this.note('REFERENCE_TOO_LONG', 'warning', message);
    }
    if (tooMany > 0) {
      const message = `${tooMany} references to other files are not followed, because there are too many.`;
      this.note('REFERENCES_TOO_MANY', 'warning', message);
    }
  }

  protected override declared(uri: string): void {
    const canonical = canonicalPrefix(uri);
    if (canonical?.prefix === 'core') this.citygmlVersion ??= canonical.version;
    if (canonical?.prefix.startsWith('ur') && canonical.version !== null && this.iurVersions.size < 100) {
      this.iurVersions.add(canonical.version);
    }
  }

  // ---- elements

  protected override opened(name: ElementName, at: number, tagEnd: number, outer: NamespaceContext): void {
    const depth = this.open.length;
    if (depth === 1) this.root(name, at, tagEnd);
    let saved: Saved | null = null;
    if (this.context !== outer) {
      saved = this.save(depth);
      saved.context = outer;
    }
    const inFeature = this.featureDepth > 0;
    let feature = false;
    if (!inFeature && this.memberDepth > 0 && depth === this.memberDepth + 1) {
      this.memberChildren++;
      feature = name.role !== Role.container;
      if (feature) this.beginFeature(depth, at);
    }

    let hasHref = false;
    let hasCodeSpace = false;
    let authorities = false;
    let srsDimension = 0;
    let crs: CrsUse | null = null;
    for (let k = 0; k < this.attributeCount; k++) {
      const attribute = this.attributes[k]!;
      if (attribute.context !== this.context) this.context.bind(attribute);
      if (attribute.unbound) throw this.unbound(attribute.text.replace(/:.*/, ''), this.valueStarts[k]!);
      const start = this.valueStarts[k]!;
      const end = this.valueEnds[k]!;
      switch (attribute.role) {
        case AttributeRole.id:
          if (feature) {
            this.featureId = this.idBytes(start, end);
          } else if (name.gml && inFeature && this.inProperty && this.geometry.wantsIds) {
            saved ??= this.save(depth);
            saved.id = this.geometry.openId(
              hashBytes(this.buffer, start, end, 31),
              hashBytes(this.buffer, start, end, 0x01000193),
            );
          }
          break;
        case AttributeRole.href:
          hasHref = true;
          if (this.buffer[start] !== 0x23) this.inventory.refer('hrefs', decodeText(this.buffer, start, end));
          break;
        case AttributeRole.codeSpace:
          hasCodeSpace = true;
          authorities = this.codeSpace(name, start, end);
          break;
        case AttributeRole.srsName:
          crs = this.crsUse(decodeText(this.buffer, start, end).trim());
          break;
        case AttributeRole.srsDimension: {
          const value = Number(decodeText(this.buffer, start, end));
          if (value === 2 || value === 3) srsDimension = value;
          break;
        }
        case AttributeRole.schemaLocation:
          this.inventory.schemaLocations(decodeText(this.buffer, start, end));
          break;
      }
    }
    if (crs !== null || srsDimension !== 0) {
      saved ??= this.save(depth);
      if (crs !== null) {
        this.crs = crs;
        this.dimension = srsDimension;
      } else {
        this.dimension = srsDimension;
      }
    }
    if (this.capturing !== null && depth > this.captureDepth) this.captured = '';
    if (name.role !== Role.none) this.openRole(name, depth, saved);
    if (authorities) this.startCapture(name, depth);
    if (name.role === Role.name && (hasCodeSpace || depth !== this.featureDepth + 1)) this.stopCapture();
    if (name.role === Role.member && depth === this.memberDepth) {
      this.memberRefers = hasHref;
      if (this.onFeature !== undefined && !inFeature) this.memberLine = this.lineAt(at);
      if (this.context !== outer) this.keepDeclarations();
    }
    if (hasHref && this.inProperty && !this.skipping) this.reference();
  }

  private openRole(name: ElementName, depth: number, saved: Saved | null): void {
    const inFeature = this.featureDepth > 0;
    switch (name.role) {
      case Role.member:
        if (!inFeature) {
          this.memberDepth = depth;
          this.memberChildren = 0;
        }
        break;
      case Role.lod:
      case Role.terrain:
      case Role.relief: {
        if (!inFeature) break;
        if (saved === null) this.save(depth);
        const lod = name.role === Role.relief ? this.demLod : name.lod;
        const base = this.inAttribute ? Slot.attribute : name.role === Role.terrain ? Slot.aside : Slot.body;
        this.slot = name.solid && !this.inAttribute ? Slot.lod1Solid : base + (lod < 0 ? NO_LOD : lod);
        this.inProperty = true;
        break;
      }
      case Role.attributeObject:
        if (!inFeature) break;
        if (saved === null) this.save(depth);
        this.inAttribute = true;
        this.slot = Slot.attribute + NO_LOD;
        break;
      case Role.relative:
        if (saved === null) this.save(depth);
        this.skipping = true;
        break;
      case Role.implicit:
        if (inFeature && this.inProperty) this.geometry.mark(this.slot);
        break;
      case Role.envelope: {
        const use = this.crs;
        if (use !== null && inFeature) {
          this.featureCrs = use;
          this.featureDimension = this.dimension;
        } else if (use !== null && this.fileCrs === null) {
          this.fileCrs = use;
          this.fileDimension = this.dimension;
        }
        if (saved === null) this.save(depth);
        this.skipping = true;
        break;
      }
      case Role.linearRing:
        this.beginPart(this.isHole ? PartKind.hole : PartKind.polygon);
        break;
      case Role.line:
        this.beginPart(PartKind.line);
        break;
      case Role.point:
        this.beginPart(PartKind.point);
        break;
      case Role.curveRing:
        if (inFeature && !this.skipping) this.geometry.notPlain(this.slot);
        break;
      case Role.exterior:
        this.isHole = false;
        break;
      case Role.interior:
        this.isHole = true;
        break;
      case Role.positions:
      case Role.coordinates:
        this.beginCoordinates();
        break;
      case Role.demLod:
      case Role.image:
      case Role.library:
      case Role.city:
      case Role.addressLine:
      case Role.locality:
      case Role.district:
        this.startCapture(name, depth);
        break;
      case Role.name:
        if (inFeature && this.open[this.featureDepth - 1]?.canonical.startsWith('bldg:')) {
          this.startCapture(name, depth);
        }
        break;
    }
  }

  protected override closed(name: ElementName, at: number, end: number): void {
    const depth = this.open.length;
    if (this.capturing !== null && depth === this.captureDepth) this.endCapture();
    switch (name.role) {
      case Role.linearRing:
      case Role.line:
      case Role.point:
        this.endPart(at);
        break;
      case Role.positions:
      case Role.coordinates:
        if (this.partKind < 0 && this.partStarted) this.endPart(at);
        break;
      case Role.address:
        if (this.lineAddress !== '' && this.featureDepth > 0) this.inventory.name('town', this.lineAddress);
        this.lineAddress = '';
        break;
      case Role.member:
        if (depth === this.memberDepth) this.endMember(at);
        break;
    }
    if (depth === this.featureDepth) this.endFeature(name, end);
    if (depth === this.savedDepth) this.restore();
    if (this.capturing !== null && depth - 1 === this.captureDepth) this.textMode = Text.captured;
  }

  private root(name: ElementName, at: number, end: number): void {
    const tag = Uint8Array.prototype.slice.call(this.buffer, at, end);
    this.rootTag.set(
      tag,
      this.attributes.slice(0, this.attributeCount).map(({ text }) => text),
    );
    if (name.role !== Role.container) {
      this.note(
        'NOT_CITYGML',
        'error',
        `The root element is ${name.canonical.slice(0, 100)}, expected core:CityModel.`,
        this.base + at,
      );
    }
  }

  private keepDeclarations(): void {
    for (let k = 0; k < this.attributeCount; k++) {
      const { text, declares } = this.attributes[k]!;
      if (!declares) continue;
      this.rootTag.declare(text, this.buffer.subarray(this.valueStarts[k]! - 1, this.valueEnds[k]! + 1));
    }
  }

  private save(depth: number): Saved {
    const index = this.savedCount++;
    let state = this.saved[index];
    if (state === undefined) {
      state = {} as Saved;
      this.saved[index] = state;
    }
    state.depth = depth;
    state.context = this.context;
    state.crs = this.crs;
    state.dimension = this.dimension;
    state.slot = this.slot;
    state.inProperty = this.inProperty;
    state.inAttribute = this.inAttribute;
    state.skipping = this.skipping;
    state.id = Number.NaN;
    this.savedDepth = depth;
    return state;
  }

  private restore(): void {
    const state = this.saved[--this.savedCount]!;
    if (!Number.isNaN(state.id)) this.geometry.closeId(state.id);
    this.context = state.context;
    this.crs = state.crs;
    this.dimension = state.dimension;
    this.slot = state.slot;
    this.inProperty = state.inProperty;
    this.inAttribute = state.inAttribute;
    this.skipping = state.skipping;
    this.savedDepth = this.savedCount === 0 ? -1 : this.saved[this.savedCount - 1]!.depth;
  }
}
