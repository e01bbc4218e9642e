/**
 * The single pass over a CityGML file: features, levels of detail, boxes, footprints, references and names,
 * from bytes in chunks of any size, in memory that only the index makes grow.
 *
 *                            ┌─ tags ────▶ ElementScanner   what an element means, which it tells the others
 *   bytes ─▶ MarkupReader ───┼─ numbers ─▶ PartScanner      coordinates, part by part
 *                            └─ text ────▶ FeatureScanner   features, and what is noted of each
 */

import { compareTexts } from '@citymodel/base';
import { ElementScanner } from './scanner-elements.ts';
import { FeatureScanner, type GmlScannerOptions } from './scanner-features.ts';
import { MAX_REFERENCE_LENGTH } from './scanner-inventory.ts';
import { MarkupReader } from './scanner-markup.ts';
import { ScannerMemory } from './scanner-memory.ts';
import { PartScanner } from './scanner-parts.ts';
import type { GmlSummary } from './summary.ts';

/** Scans one GML. Push its bytes in order, then `end` once. No bytes make it throw. */
export class GmlScanner {
  private readonly xml: MarkupReader;
  private readonly parts: PartScanner;
  private readonly features: FeatureScanner;
  private readonly elements: ElementScanner;

  constructor(options: GmlScannerOptions) {
    const { onIssue, member, memory = new ScannerMemory() } = options;
    this.xml = new MarkupReader(onIssue, member, memory);
    this.parts = new PartScanner(this.xml, memory);
    this.features = new FeatureScanner(options, memory, this.xml, this.parts);
    this.elements = new ElementScanner(this.xml, this.parts, this.features);
    this.xml.attach({ elements: this.elements, numbers: this.parts, texts: this.features });
  }

  /** The next bytes of the text; they are not kept. */
  push(chunk: Uint8Array): void {
    this.xml.push(chunk);
  }

  /** Offset up to which the text was read. */
  get readTo(): number {
    return this.xml.readTo;
  }

  /** Why reading was broken off although the text may be well formed, a full sentence. */
  get overBudget(): string | null {
    return this.xml.overBudget;
  }

  /** Offset from which on text belongs to no feature that has ended: of the open one, else of what is unread. */
  get openFrom(): number {
    return this.parts.featureDepth > 0 ? this.features.featureStart : this.xml.readTo;
  }

  /** The start tag of the root with what members before have declared beside it; empty before the root. */
  get rootStartTag(): Uint8Array {
    return this.elements.rootTag.bytes;
  }

  /** Ends the text. */
  end(): GmlSummary {
    const wellFormed = this.xml.endText();
    const { references, areaCodes, places } = this.features.inventory.result();
    this.noteReferences();
    const fallback = this.parts.fileCrs;
    return {
      size: this.xml.size,
      features: this.features.index.features,
      featuresWithoutId: this.features.index.withoutId,
      lods: this.features.lods,
      extent: this.features.extent,
      crs: [...this.parts.crsUses.values()]
        .filter((use) => use.uses > 0)
        .sort((a, b) => b.uses - a.uses)
        .map((use) => (use.crs === null ? use.srsName : `EPSG:${use.crs.epsg}`))
        .filter((name, i, all) => all.indexOf(name) === i),
      elements: [...this.features.elements]
        .map(([name, count]) => ({ name, count }))
        .sort((a, b) => b.count - a.count || compareTexts(a.name, b.name)),
      citygmlVersion: this.elements.citygmlVersion,
      iurVersions: [...this.elements.iurVersions].sort(),
      references,
      areaCodes,
      places,
      wellFormed,
      overBudget: this.xml.overBudget,
      referenceSteps: this.parts.geometry.allSteps,
      featureIndex: this.features.index.finish(this.elements.rootTag.bytes, {
        srsName: fallback?.srsName ?? '',
        srsDimension: this.parts.fileDimension === 0 ? '' : String(this.parts.fileDimension),
      }),
    };
  }

  private noteReferences(): void {
    const { tooLong, tooMany } = this.features.inventory;
    if (tooLong > 0) {
      const message = `${tooLong} references are longer than ${MAX_REFERENCE_LENGTH} characters and are not followed.`;
      this.xml.note('REFERENCE_TOO_LONG', 'warning', message);
    }
    if (tooMany > 0) {
      const message = `${tooMany} references to other files are not followed, because there are too many.`;
      this.xml.note('REFERENCES_TOO_MANY', 'warning', message);
    }
  }
}
