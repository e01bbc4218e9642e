/**
 * Features and members of a file, with what is noted of each: place in the text, id, levels of detail, box, names and
 * codes. Which elements begin and end them, others say.
 */
import type { IssueSink } from '@citymodel/base';
import type { Extent } from '@citymodel/geo';
import { type FeatureIndexWriter, MAX_ID_LENGTH } from '../index/feature-index-writer.ts';
import { NO_LOD, Slot } from './scanner-geometry.ts';
import { Inventory } from './scanner-inventory.ts';
import { MAX_CAPTURED, type MarkupReader, type TextHandler } from './scanner-markup.ts';
import type { ScannerMemory } from './scanner-memory.ts';
import { type ElementName, Role } from './scanner-names.ts';
import type { PartScanner } from './scanner-parts.ts';
import { Text } from './scanner-tags.ts';
import { decodeText } from './scanner-text.ts';
import { Token } from './scanner-token.ts';
import type { GmlSummary } from './summary.ts';

/** What a scan is begun with. */
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

/** Notes features. */
export class FeatureScanner implements TextHandler {
  private readonly xml: MarkupReader;
  private readonly parts: PartScanner;
  readonly blockHint: ((textOffset: number) => void) | undefined;
  readonly onFeature: ((feature: ScannedFeature) => void) | undefined;
  captured = '';
  capturing: ElementName | null = null;
  /** Element depth at which `capturing` is open. */
  captureDepth = 0;

  memberDepth = 0;
  memberLine = 0;
  memberChildren = 0;
  memberRefers = false;
  featureStart = 0;
  featureId: Buffer | null = null;

  readonly index: FeatureIndexWriter;
  readonly scanNumber: number;
  readonly inventory: Inventory;
  readonly lods: GmlSummary['lods'] = [0, 0, 0, 0, 0];
  readonly elements = new Map<string, number>();
  extent: Extent | null = null;
  lineAddress = '';

  constructor(options: GmlScannerOptions, memory: ScannerMemory, xml: MarkupReader, parts: PartScanner) {
    this.xml = xml;
    this.parts = parts;
    this.index = memory.index;
    this.scanNumber = memory.scan;
    this.blockHint = options.blockHint;
    this.onFeature = options.onFeature;
    this.inventory = new Inventory(options.placeLimit ?? 20_000);
  }

  /** The element that begins is a feature. */
  beginFeature(depth: number, at: number): void {
    const { parts } = this;
    parts.featureDepth = depth;
    this.featureStart = this.xml.base + at;
    this.featureId = null;
    parts.featureCrs = null;
    parts.geometry.clear();
    parts.slot = Slot.body + NO_LOD;
    parts.inProperty = false;
    parts.inAttribute = false;
    parts.skipping = false;
    parts.demLod = -1;
    parts.partKind = -1;
    parts.partStarted = false;
    parts.isHole = false;
    this.lineAddress = '';
  }

  /** The feature that is open ends. */
  endFeature(name: ElementName, end: number): void {
    const { xml, parts } = this;
    const geometry = parts.geometry.finish();
    if (parts.geometry.cutShort) {
      const message =
        'Geometry of a feature refers to itself, or too often, by xlink:href; not all of it is followed.';
      xml.note('REFERENCES_TOO_MANY', 'warning', message, xml.base + end);
    }
    this.index.add(this.featureId, name.canonical, this.featureStart, xml.base + end, geometry);
    this.elements.set(name.canonical, (this.elements.get(name.canonical) ?? 0) + 1);
    for (let lod = 0; lod < 5; lod++) if (geometry.lods & (1 << lod)) this.lods[lod]!++;
    this.inventory.endFeature(geometry.box);
    if (geometry.extent !== null) this.widen(geometry.extent);
    parts.featureDepth = 0;
    this.blockHint?.(xml.base + end);
    this.onFeature?.({
      start: this.featureStart,
      end: xml.base + end,
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

  /** The member that is open ends. */
  endMember(at: number): void {
    const { xml } = this;
    this.memberDepth = 0;
    if (this.memberChildren > 0) return;
    if (this.memberRefers) {
      const message = 'A member of the model names a feature elsewhere, which is not followed.';
      xml.note('MEMBER_BY_REFERENCE', 'info', message, xml.base + at);
    } else {
      xml.note('EMPTY_MEMBER', 'info', 'A member of the model holds no feature.', xml.base + at);
    }
  }

  idBytes(start: number, end: number): Buffer | null {
    const { xml } = this;
    const id = Buffer.from(decodeText(xml.buffer, start, end).trim());
    if (id.length === 0) return null;
    if (id.length <= MAX_ID_LENGTH) return id;
    xml.note(
      'ID_TOO_LONG',
      'warning',
      `A gml:id has ${id.length} bytes, at most ${MAX_ID_LENGTH} are kept.`,
      xml.base + start,
    );
    return null;
  }

  /** Notes a code list; true when it lists municipalities. Comparing with the last one saves most of the work. */
  codeSpace(name: ElementName, start: number, end: number): boolean {
    const { xml } = this;
    const lastCodeSpace = name.codeSpace;
    if (
      lastCodeSpace !== null &&
      name.codeSpaceScan === this.scanNumber &&
      lastCodeSpace.length === end - start &&
      lastCodeSpace.isAt(xml.view, start)
    ) {
      return name.authorities;
    }
    const text = decodeText(xml.buffer, start, end);
    this.inventory.refer('codeSpaces', text);
    // One that holds a quotation mark would hide where a value in such marks ends.
    name.codeSpace = text.includes('"') ? null : new Token(Buffer.from(xml.buffer.subarray(start, end)));
    name.codeSpaceScan = this.scanNumber;
    name.authorities = /localPublicAuthorit/i.test(text);
    return name.authorities;
  }

  /** The text of the element that begins is wanted. */
  startCapture(name: ElementName, depth: number): void {
    this.capturing = name;
    this.captureDepth = depth;
    this.captured = '';
    this.xml.textMode = Text.captured;
  }

  /** It is not, after all. */
  stopCapture(): void {
    const { xml } = this;
    this.capturing = null;
    if (xml.textMode === Text.captured) xml.textMode = Text.skipped;
  }

  capture(from: number, to: number, raw: boolean): void {
    const { xml } = this;
    if (this.captured.length >= MAX_CAPTURED) return;
    this.captured += raw ? xml.buffer.toString('utf8', from, to) : decodeText(xml.buffer, from, to);
  }

  /** The element ends whose text was wanted. */
  endCapture(): void {
    const { parts } = this;
    const text = this.captured;
    const role = this.capturing!.role;
    this.capturing = null;
    this.captured = '';
    switch (role) {
      case Role.demLod:
        if (/^\s*[0-4]\s*$/.test(text)) parts.demLod = Number(text);
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
        if (parts.featureDepth > 0) this.inventory.name('town', text);
        break;
      default:
        this.inventory.areaCode(text);
    }
  }
}
