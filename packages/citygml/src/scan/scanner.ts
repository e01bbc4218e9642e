/**
 * The single pass over a CityGML file: features, levels of detail, boxes, footprints, references and names,
 * from bytes in chunks of any size, in memory that only the index makes grow.
 *
 * Markup is read in `scanner-markup.ts`; here is what it means. Everything that holds inside an element and not
 * after it (slot of geometry, CRS, namespaces, …) is saved when the element changes it and restored at its end.
 *
 *   outside ──member──▶ in a member ──any element──▶ in a feature ──lodN…──▶ in a geometry property
 *                                                        │                        │ LinearRing, Point, …
 *                                                        └─ names, codes          ▼
 *                                                                             in a part ──posList──▶ numbers
 */

import type { IssueSink } from '@citymodel/base';
import { compareTexts } from '@citymodel/base';
import type { Extent } from '@citymodel/geo';
import { type Crs, crsOf } from '../geometry/crs.ts';
import { PartKind } from '../geometry/footprint.ts';
import { type FeatureIndexWriter, MAX_ID_LENGTH } from '../index/feature-index-writer.ts';
import { canonicalPrefix } from '../xml/namespaces.ts';
import { RootTag } from '../xml/root-tag.ts';
import { type GeometryCollector, NO_LOD, Slot } from './scanner-geometry.ts';
import { Inventory, MAX_REFERENCE_LENGTH } from './scanner-inventory.ts';
import { MAX_CAPTURED, MarkupReader } from './scanner-markup.ts';
import { ScannerMemory } from './scanner-memory.ts';
import { AttributeRole, type ElementName, type NamespaceContext, Role } from './scanner-names.ts';
import type { DecimalReader } from './scanner-numbers.ts';
import { LESS_THAN, Text } from './scanner-tags.ts';
import { decodeText } from './scanner-text.ts';
import { Token } from './scanner-token.ts';
import type { GmlSummary } from './summary.ts';

export interface GmlScannerOptions {
  onIssue: IssueSink;
  /** Path of the file in its package, for issues. */
  member: string;
  /** Called with the offset after each feature's end, ascending: cutting the text there splits no feature. */
  blockHint?: (textOffset: number) => void;
  /** Called after that with where the feature was. */
  onFeature?: (feature: ScannedFeature) => void;
  /** Most names of places that are kept. */
  placeLimit?: number;
  /** What an earlier scan that has ended worked with; its own when absent. */
  memory?: ScannerMemory;
}

/** Where a feature is in the text of its file. */
export interface ScannedFeature {
  /** Offset of its start tag. */
  start: number;
  /** Offset after its end tag. */
  end: number;
  /** 1-based line of the member that holds it. */
  line: number;
  /** Canonical name of its element. */
  name: string;
  /** Its gml:id, UTF-8. */
  id: Buffer | null;
  /**
   * West, south, east, north in degrees, lowest and highest in metres: of all its geometry, as far as it has positions
   * with heights. Good until the call returns.
   */
  extent: Float64Array | null;
}

const USUAL_CRS = 'EPSG:6697';

/** One srsName and how often geometry uses it. */
interface CrsUse {
  srsName: string;
  crs: Crs | null;
  uses: number;
  /** Runs of numbers that were looked at for their order. */
  parts: number;
  /** Numbers have the other order, which was noted. */
  isTurned: boolean;
}

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
export class GmlScanner extends MarkupReader {
  private readonly blockHint: ((textOffset: number) => void) | undefined;
  private readonly onFeature: ((feature: ScannedFeature) => void) | undefined;
  private captured = '';
  private capturing: ElementName | null = null;
  /** Element depth at which `capturing` is open. */
  private captureDepth = 0;
  private readonly saved: Saved[] = [];
  private savedCount = 0;
  private savedDepth = -1;
  private readonly rootTag = new RootTag();

  private memberDepth = 0;
  private memberLine = 0;
  private memberChildren = 0;
  private memberRefers = false;
  private featureDepth = 0;
  private featureStart = 0;
  private featureId: Buffer | null = null;

  private crs: CrsUse | null = null;
  private dimension = 0;
  private fileCrs: CrsUse | null = null;
  private fileDimension = 0;
  private featureCrs: CrsUse | null = null;
  private featureDimension = 0;
  private readonly crsUses = new Map<string, CrsUse>();

  private readonly geometry: GeometryCollector;
  private readonly numbers: DecimalReader;
  private slot: number = Slot.body + NO_LOD;
  /** Inside a property whose content is geometry of a known slot. */
  private inProperty = false;
  private inAttribute = false;
  private skipping = false;
  private demLod = -1;
  private partKind = -1;
  private partStarted = false;
  private partBroken = false;
  private partDimension = 0;
  private partCrs: CrsUse | null = null;
  private isHole = false;

  private readonly index: FeatureIndexWriter;
  private readonly scanNumber: number;
  private readonly inventory: Inventory;
  private readonly lods: GmlSummary['lods'] = [0, 0, 0, 0, 0];
  private readonly elements = new Map<string, number>();
  private extent: Extent | null = null;
  private citygmlVersion: string | null = null;
  private readonly iurVersions = new Set<string>();
  private lineAddress = '';

  constructor(options: GmlScannerOptions) {
    const memory = options.memory ?? new ScannerMemory();
    super(options.onIssue, options.member, memory);
    this.geometry = memory.geometry;
    this.geometry.begin();
    this.numbers = memory.numbers;
    this.index = memory.index;
    this.scanNumber = memory.scan;
    this.blockHint = options.blockHint;
    this.onFeature = options.onFeature;
    this.inventory = new Inventory(options.placeLimit ?? 20_000);
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

  // ---- features

  private beginFeature(depth: number, at: number): void {
    this.featureDepth = depth;
    this.featureStart = this.base + at;
    this.featureId = null;
    this.featureCrs = null;
    this.geometry.clear();
    this.slot = Slot.body + NO_LOD;
    this.inProperty = false;
    this.inAttribute = false;
    this.skipping = false;
    this.demLod = -1;
    this.partKind = -1;
    this.partStarted = false;
    this.isHole = false;
    this.lineAddress = '';
  }

  private endFeature(name: ElementName, end: number): void {
    const geometry = this.geometry.finish();
    if (this.geometry.cutShort) {
      const message =
        'Geometry of a feature refers to itself, or too often, by xlink:href; not all of it is followed.';
      this.note('REFERENCES_TOO_MANY', 'warning', message, this.base + end);
    }
    this.index.add(this.featureId, name.canonical, this.featureStart, this.base + end, geometry);
    this.elements.set(name.canonical, (this.elements.get(name.canonical) ?? 0) + 1);
    for (let lod = 0; lod < 5; lod++) if (geometry.lods & (1 << lod)) this.lods[lod]!++;
    this.inventory.endFeature(geometry.box);
    if (geometry.extent !== null) this.widen(geometry.extent);
    this.featureDepth = 0;
    this.blockHint?.(this.base + end);
    this.onFeature?.({
      start: this.featureStart,
      end: this.base + end,
      line: this.memberLine,
      name: name.canonical,
      id: this.featureId,
      extent: geometry.hasAltitude ? geometry.extent : null,
    });
  }

  private widen(box: Float64Array): void {
    const [west, south, east, north, minAlt, maxAlt] = box as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const extent = this.extent;
    if (extent === null) {
      this.extent = { west, south, east, north, minAlt, maxAlt };
      return;
    }
    extent.west = Math.min(extent.west, west);
    extent.south = Math.min(extent.south, south);
    extent.east = Math.max(extent.east, east);
    extent.north = Math.max(extent.north, north);
    extent.minAlt = Math.min(extent.minAlt, minAlt);
    extent.maxAlt = Math.max(extent.maxAlt, maxAlt);
  }

  private endMember(at: number): void {
    this.memberDepth = 0;
    if (this.memberChildren > 0) return;
    if (this.memberRefers) {
      const message = 'A member of the model names a feature elsewhere, which is not followed.';
      this.note('MEMBER_BY_REFERENCE', 'info', message, this.base + at);
    } else {
      this.note('EMPTY_MEMBER', 'info', 'A member of the model holds no feature.', this.base + at);
    }
  }

  private idBytes(start: number, end: number): Buffer | null {
    const id = Buffer.from(decodeText(this.buffer, start, end).trim());
    if (id.length === 0) return null;
    if (id.length <= MAX_ID_LENGTH) return id;
    this.note(
      'ID_TOO_LONG',
      'warning',
      `A gml:id has ${id.length} bytes, at most ${MAX_ID_LENGTH} are kept.`,
      this.base + start,
    );
    return null;
  }

  /** Notes a code list; true when it lists municipalities. Comparing with the last one saves most of the work. */
  private codeSpace(name: ElementName, start: number, end: number): boolean {
    const lastCodeSpace = name.codeSpace;
    if (
      lastCodeSpace !== null &&
      name.codeSpaceScan === this.scanNumber &&
      lastCodeSpace.length === end - start &&
      lastCodeSpace.isAt(this.view, start)
    ) {
      return name.authorities;
    }
    const text = decodeText(this.buffer, start, end);
    this.inventory.refer('codeSpaces', text);
    // One that holds a quotation mark would hide where a value in such marks ends.
    name.codeSpace = text.includes('"') ? null : new Token(Buffer.from(this.buffer.subarray(start, end)));
    name.codeSpaceScan = this.scanNumber;
    name.authorities = /localPublicAuthorit/i.test(text);
    return name.authorities;
  }

  private crsUse(srsName: string): CrsUse {
    let use = this.crsUses.get(srsName);
    if (use === undefined) {
      use = { srsName: srsName.slice(0, 200), crs: crsOf(srsName), uses: 0, parts: 0, isTurned: false };
      if (this.crsUses.size < 100) this.crsUses.set(srsName, use);
    }
    return use;
  }

  // ---- text that matters

  private startCapture(name: ElementName, depth: number): void {
    this.capturing = name;
    this.captureDepth = depth;
    this.captured = '';
    this.textMode = Text.captured;
  }

  private stopCapture(): void {
    this.capturing = null;
    if (this.textMode === Text.captured) this.textMode = Text.skipped;
  }

  protected override capture(from: number, to: number, raw: boolean): void {
    if (this.captured.length >= MAX_CAPTURED) return;
    this.captured += raw ? this.buffer.toString('utf8', from, to) : decodeText(this.buffer, from, to);
  }

  private endCapture(): void {
    const text = this.captured;
    const role = this.capturing!.role;
    this.capturing = null;
    this.captured = '';
    switch (role) {
      case Role.demLod:
        if (/^\s*[0-4]\s*$/.test(text)) this.demLod = Number(text);
        break;
      case Role.image:
        this.inventory.refer('images', text);
        break;
      case Role.library:
        this.inventory.refer('hrefs', text);
        break;
      case Role.name:
        this.inventory.name('building', text);
        break;
      case Role.locality:
      case Role.district:
        if (this.lineAddress.length < 1000) this.lineAddress += text.trim();
        break;
      case Role.addressLine:
        if (this.featureDepth > 0) this.inventory.name('town', text);
        break;
      default:
        this.inventory.areaCode(text);
    }
  }

  // ---- geometry

  /** The tag names geometry elsewhere with xlink:href. */
  private reference(): void {
    for (let k = 0; k < this.attributeCount; k++) {
      if (this.attributes[k]!.role !== AttributeRole.href) continue;
      const start = this.valueStarts[k]! + 1;
      const end = this.valueEnds[k]!;
      if (this.buffer[start - 1] !== 0x23) continue;
      this.geometry.refer(
        this.slot,
        hashBytes(this.buffer, start, end, 31),
        hashBytes(this.buffer, start, end, 0x01000193),
      );
    }
  }

  private beginPart(kind: number): void {
    if (this.featureDepth === 0 || this.skipping) return;
    this.partKind = kind;
    this.partStarted = false;
    this.partBroken = false;
    this.numbers.count = 0;
    this.numbers.malformed = false;
  }

  private beginCoordinates(): void {
    if (this.featureDepth === 0 || this.skipping) return;
    if (this.partKind < 0) {
      // Coordinates outside of a known primitive count for the box.
      this.beginPart(PartKind.line);
      this.partKind = -1;
    }
    if (!this.partStarted) {
      const crs = this.crs ?? this.featureCrs ?? this.fileCrs;
      const inherited =
        this.crs !== null ? 0 : this.featureCrs !== null ? this.featureDimension : this.fileDimension;
      this.partCrs = crs ?? this.usualCrs();
      this.partDimension = this.dimension || inherited || (this.partCrs.crs?.dimension ?? 3);
      this.partStarted = true;
      const uses = this.partCrs.uses++;
      if (this.partCrs.crs !== null) this.geometry.beginPart(this.slot);
      else if (uses === 0) this.unknownCrs(this.partCrs);
    }
    if (this.partCrs!.crs === null) {
      this.geometry.mark(this.slot);
      return;
    }
    this.textMode = Text.numbers;
  }

  private unknownCrs(use: CrsUse): void {
    this.note(
      'UNKNOWN_CRS',
      'error',
      `Geometry is in ${use.srsName}, expected EPSG:6697 or another known system; it is left out of boxes.`,
    );
  }

  private axesTurned(use: CrsUse): void {
    use.isTurned = true;
    this.note(
      'AXES_TURNED',
      'warning',
      `Positions have their first two numbers in the other order than ${use.srsName}; they are read so.`,
    );
  }

  /** EPSG:6697, which the specification of the data demands, where a file names nothing. */
  private usualCrs(): CrsUse {
    if (!this.crsUses.has(USUAL_CRS)) {
      this.note('MISSING_CRS', 'warning', `Geometry has no srsName; it is read as ${USUAL_CRS}.`);
    }
    return this.crsUse(USUAL_CRS);
  }

  protected override readNumbers(at: number): number {
    const { numbers, buffer, limit } = this;
    let i = at;
    for (;;) {
      if (this.partBroken) {
        this.textMode = Text.skipped;
        return i;
      }
      numbers.read(buffer, i, limit, this.open.at(-1)!.role === Role.coordinates);
      i = numbers.position;
      if (
        numbers.malformed ||
        (buffer[i] !== LESS_THAN && numbers.count < numbers.values.length && limit - i > 1000)
      ) {
        this.partBroken = true;
      } else if (numbers.count === numbers.values.length) {
        this.absorb();
      } else {
        return i;
      }
    }
  }

  protected override noNumbers(): void {
    this.partBroken = true;
  }

  /** Hands the whole positions that have been read to the geometry. */
  private absorb(): void {
    const { numbers } = this;
    const { values, count } = numbers;
    const use = this.partCrs!;
    const crs = use.crs!;
    // Metres are turned by their system; one look at the first of them is enough to say so.
    const looks = crs.isOtherOrder !== undefined && count >= 2 && (crs.geographic || use.parts++ === 0);
    const isTurned = looks && crs.isOtherOrder!(values[0]!, values[1]!);
    if (isTurned && !use.isTurned) this.axesTurned(use);
    this.geometry.absorb(values, count, this.partDimension, crs, isTurned && crs.geographic);
    numbers.count = 0;
  }

  private endPart(at: number): void {
    const started = this.partStarted;
    const kind = this.partKind < 0 ? PartKind.line : this.partKind;
    this.partKind = -1;
    this.partStarted = false;
    if (!started || this.featureDepth === 0 || this.skipping || this.partCrs!.crs === null) return;
    const { numbers } = this;
    const broken = this.partBroken || numbers.count % this.partDimension !== 0;
    if (broken) {
      numbers.count -= numbers.count % this.partDimension;
      this.note(
        'COORDINATES',
        'warning',
        this.partBroken
          ? 'Coordinates contain something that is no number; what follows it is left out.'
          : `Coordinates are not a multiple of ${this.partDimension} numbers; the last are left out.`,
        this.base + at,
      );
      this.geometry.notPlain(this.slot);
    }
    if (numbers.count > 0) this.absorb();
    if (!this.geometry.endPart(this.slot, kind)) {
      this.note(
        'COORDINATES',
        'warning',
        'Coordinates lie outside of the world; they are left out. Latitude comes before longitude.',
        this.base + at,
      );
    }
  }
}

/** Polynomial hash of `bytes[from, to)`. */
function hashBytes(bytes: Buffer, from: number, to: number, factor: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, factor) + bytes[i]!) | 0;
  return hash;
}
