/**
 * Coordinates of geometry, part by part, in the system and dimension that hold for them. Which feature they are of, and
 * of which level of detail, others say.
 */
import { type Crs, crsOf } from '../geometry/crs.ts';
import { PartKind } from '../geometry/footprint.ts';
import type { DecimalReader } from '../xml/decimal-reader.ts';
import { type GeometryCollector, NO_LOD, Slot } from './scanner-geometry.ts';
import type { MarkupReader, NumberHandler } from './scanner-markup.ts';
import type { ScannerMemory } from './scanner-memory.ts';
import { AttributeRole, Role } from './scanner-names.ts';
import { LESS_THAN, Text } from './scanner-tags.ts';

const USUAL_CRS = 'EPSG:6697';

/** One srsName and how often geometry uses it. */
export interface CrsUse {
  srsName: string;
  crs: Crs | null;
  uses: number;
  /** Runs of numbers that were looked at for their order. */
  parts: number;
  /** Numbers have the other order, which was noted. */
  isTurned: boolean;
}

/** Reads the numbers of geometry. */
export class PartScanner implements NumberHandler {
  private readonly xml: MarkupReader;
  /** Depth of the feature that is open; 0 outside of features. */
  featureDepth = 0;

  crs: CrsUse | null = null;
  dimension = 0;
  fileCrs: CrsUse | null = null;
  fileDimension = 0;
  featureCrs: CrsUse | null = null;
  featureDimension = 0;
  readonly crsUses = new Map<string, CrsUse>();

  readonly geometry: GeometryCollector;
  private readonly numbers: DecimalReader;
  slot: number = Slot.body + NO_LOD;
  /** Inside a property whose content is geometry of a known slot. */
  inProperty = false;
  inAttribute = false;
  skipping = false;
  demLod = -1;
  partKind = -1;
  partStarted = false;
  private partBroken = false;
  private partDimension = 0;
  private partCrs: CrsUse | null = null;
  isHole = false;

  constructor(xml: MarkupReader, memory: ScannerMemory) {
    this.xml = xml;
    this.geometry = memory.geometry;
    this.geometry.begin();
    this.numbers = memory.numbers;
  }

  /** What is known of a system by its name. */
  crsUse(srsName: string): CrsUse {
    let use = this.crsUses.get(srsName);
    if (use === undefined) {
      use = { srsName: srsName.slice(0, 200), crs: crsOf(srsName), uses: 0, parts: 0, isTurned: false };
      if (this.crsUses.size < 100) this.crsUses.set(srsName, use);
    }
    return use;
  }

  /** The tag names geometry elsewhere with xlink:href. */
  reference(): void {
    const { xml } = this;
    for (let k = 0; k < xml.attributeCount; k++) {
      if (xml.attributes[k]!.role !== AttributeRole.href) continue;
      const start = xml.valueStarts[k]! + 1;
      const end = xml.valueEnds[k]!;
      if (xml.buffer[start - 1] !== 0x23) continue;
      this.geometry.refer(
        this.slot,
        hashBytes(xml.buffer, start, end, 31),
        hashBytes(xml.buffer, start, end, 0x01000193),
      );
    }
  }

  /** A ring, line or point begins. */
  beginPart(kind: number): void {
    if (this.featureDepth === 0 || this.skipping) return;
    this.partKind = kind;
    this.partStarted = false;
    this.partBroken = false;
    this.numbers.count = 0;
    this.numbers.malformed = false;
  }

  /** The element that begins holds coordinates. */
  beginCoordinates(): void {
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
    this.xml.textMode = Text.numbers;
  }

  private unknownCrs(use: CrsUse): void {
    this.xml.note(
      'UNKNOWN_CRS',
      'error',
      `Geometry is in ${use.srsName}, expected EPSG:6697 or another known system; it is left out of boxes.`,
    );
  }

  private axesTurned(use: CrsUse): void {
    use.isTurned = true;
    this.xml.note(
      'AXES_TURNED',
      'warning',
      `Positions have their first two numbers in the other order than ${use.srsName}; they are read so.`,
    );
  }

  /** EPSG:6697, which the specification of the data demands, where a file names nothing. */
  private usualCrs(): CrsUse {
    if (!this.crsUses.has(USUAL_CRS)) {
      this.xml.note('MISSING_CRS', 'warning', `Geometry has no srsName; it is read as ${USUAL_CRS}.`);
    }
    return this.crsUse(USUAL_CRS);
  }

  readNumbers(at: number): number {
    const { xml, numbers } = this;
    const { buffer, limit } = xml;
    let i = at;
    for (;;) {
      if (this.partBroken) {
        xml.textMode = Text.skipped;
        return i;
      }
      numbers.read(buffer, i, limit, xml.open.at(-1)!.role === Role.coordinates);
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

  noNumbers(): void {
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

  /** A ring, line or point ends. */
  endPart(at: number): void {
    const { xml } = this;
    const started = this.partStarted;
    const kind = this.partKind < 0 ? PartKind.line : this.partKind;
    this.partKind = -1;
    this.partStarted = false;
    if (!started || this.featureDepth === 0 || this.skipping || this.partCrs!.crs === null) return;
    const { numbers } = this;
    const broken = this.partBroken || numbers.count % this.partDimension !== 0;
    if (broken) {
      numbers.count -= numbers.count % this.partDimension;
      xml.note(
        'COORDINATES',
        'warning',
        this.partBroken
          ? 'Coordinates contain something that is no number; what follows it is left out.'
          : `Coordinates are not a multiple of ${this.partDimension} numbers; the last are left out.`,
        xml.base + at,
      );
      this.geometry.notPlain(this.slot);
    }
    if (numbers.count > 0) this.absorb();
    if (!this.geometry.endPart(this.slot, kind)) {
      xml.note(
        'COORDINATES',
        'warning',
        'Coordinates lie outside of the world; they are left out. Latitude comes before longitude.',
        xml.base + at,
      );
    }
  }
}

/** Polynomial hash of `bytes[from, to)`. */
export function hashBytes(bytes: Buffer, from: number, to: number, factor: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, factor) + bytes[i]!) | 0;
  return hash;
}
