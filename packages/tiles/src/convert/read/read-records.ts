/**
 * One pass over a GML file: its features as records on the disk, what plans need of them in memory, its appearances.
 */

import { LODS } from '@citymodel/base';
import {
  type CoordinateDefaults,
  crsOf,
  ElementCutter,
  type Elsewhere,
  extentOf,
  FeatureTooLarge,
  FeatureXmlError,
  GeometryReader,
  geometriesOf,
  gmlIdOf,
  type LodGeometry,
  mapSheetOf,
  skimFeature,
  standingGeometry,
  surfacesOf,
  type XmlElement,
} from '@citymodel/citygml';
import type { Extent } from '@citymodel/geo';
import { Fate, NO_LOD } from '../account/part-account.ts';
import { addTo } from '../account/tally.ts';
import { INTERIOR_LOD, isTerrainAmong, LARGE_TYPE, noteFeature } from '../account/written-levels.ts';
import { heightKindOf, VerticalRefused } from '../heights/vertical.ts';
import type { GmlSource, PartContext } from '../part-maker.ts';
import { Appearances } from './appearances.ts';
import { type Body, bodiesOf, bodyOfSurfaces } from './bodies.ts';
import { GmlCodeLabels } from './code-labels.ts';
import { columnsOf } from './columns.ts';
import { cutBody } from './cut-body.ts';
import { type FeatureFacts, headFacts, wholeOf, widened } from './feature-facts.ts';
import { FeatureIds, setId } from './feature-ids.ts';
import { type GmlFeature, type LargeFeature, WHOLE_FEATURE } from './features.ts';
import { ImplicitGeometries } from './implicit-geometry.ts';
import { isInteriorAsked, withInterior } from './interiors.ts';
import { type IssueCode, IssueCounter } from './issue-counter.ts';
import { Losses } from './losses.ts';
import { heightSystemOf, NO_SYSTEM, type OwnSystems, systemsOf } from './own-systems.ts';
import type { FeatureHead } from './pack-head.ts';
import { isTooWide, Plausibility, type PlausibleGeometry } from './plausible.ts';
import { raise, raisingOf } from './raise-body.ts';
import { RecordFile } from './record-file.ts';
import { readResolved } from './resolved-features.ts';
import { byOwner, SPLIT_TYPES } from './road-areas.ts';
import { SurfacePieces } from './surface-pieces.ts';

export interface GmlRecords {
  features: FeatureFacts[];
  records: RecordFile;
  appearances: Appearances;
  /** Of the features that were read last; all of a file have the same. */
  srsName: string | null;
}

/** What is known of a feature besides its geometry. */
type Placed = Pick<GmlFeature, 'number' | 'defaults'>;

/** The property of a feature or template that has its appearance, of CityGML 2.0 and 3.0. */
const APPEARANCES = new Set(['app:appearance', 'core:appearance']);
/** Types of surfaces and pipes that may reach over kilometres. */
const LONG_TYPES = new Set(['wtr', 'unf']);
/** Terrain in other forms than triangles. */
const OTHER_RELIEFS = new Set(['dem:MassPointRelief', 'dem:BreaklineRelief', 'dem:RasterRelief']);
/** Positions up to which they stay whole: those that a mesh can number in 16 bits. */
const WHOLE_POSITIONS = 65_000;
/** Positions of their pieces. */
const PIECE_POSITIONS = 30_000;

/**
 * Reads the file into `context.scratch`; `tiled` are the levels of detail that tiles are made of. The caller disposes
 * of the records. Heights are raised to the ellipsoid. Throws what reading the text throws, and the reason of the
 * signal.
 */
export async function readRecords(
  gml: GmlSource,
  context: PartContext,
  tiled: readonly number[],
): Promise<GmlRecords> {
  const issues = new IssueCounter(gml.path, context.issue);
  const reader = new RecordReader(gml, context, issues, tiled);
  try {
    for await (const item of readResolved(gml, context)) {
      if (item.kind === 'appearance') reader.appearances.add(item.element);
      else if (item.kind === 'feature') await reader.add(item);
      else await reader.addLarge(item);
    }
  } catch (error) {
    reader.records[Symbol.dispose]();
    throw error;
  }
  issues.tell();
  const { features, records, appearances, srsName } = reader;
  return { features, records, appearances, srsName };
}

class RecordReader {
  readonly features: FeatureFacts[] = [];
  readonly records: RecordFile;
  readonly appearances: Appearances;
  srsName: string | null = null;
  readonly #gml: GmlSource;
  readonly #context: PartContext;
  readonly #issues: IssueCounter;
  readonly #labels: GmlCodeLabels;
  readonly #implicit: ImplicitGeometries;
  readonly #plausibility: Plausibility;
  readonly #losses: Losses;
  readonly #sheet: string | null;
  /** Levels of detail that tiles are made of. */
  readonly #tiled: readonly number[];
  /** Higher levels of detail are not wanted. */
  readonly #highestLod: number;
  readonly #ids: FeatureIds;

  constructor(gml: GmlSource, context: PartContext, issues: IssueCounter, tiled: readonly number[]) {
    this.#tiled = tiled;
    this.#gml = gml;
    this.#context = context;
    this.#issues = issues;
    this.#labels = new GmlCodeLabels(gml);
    this.#implicit = new ImplicitGeometries(issues, gml.size);
    this.#plausibility = new Plausibility(gml, true);
    this.#ids = new FeatureIds(gml.path, issues);
    this.#losses = new Losses(context.account, issues, tiled);
    this.#sheet = mapSheetOf(gml.path);
    this.#highestLod = Math.max(1, ...(context.options.lods ?? [4]));
    this.records = new RecordFile(context.scratch);
    this.appearances = new Appearances(gml.path);
  }

  async add(feature: GmlFeature & { elsewhere?: Elsewhere }): Promise<void> {
    const { element, defaults, elsewhere, number } = feature;
    this.#addAppearances(element);
    noteFeature(this.#context.account, number, element);
    if (isTerrainAmong(this.#gml.type, element)) return;
    if (!this.#isKnown(feature, gmlIdOf(element))) {
      this.#context.account.lostWhole(number, 'CRS_UNKNOWN');
      return;
    }
    const id = gmlIdOf(element) ?? this.#ids.nameOf(feature.number);
    const geometries = geometriesOf(element, defaults, undefined, elsewhere);
    const templates = this.#implicit.of(element, defaults, elsewhere ?? null, id);
    const written = [...geometries, ...templates];
    const inside = withInterior(written);
    const read = inside ?? written;
    const { geometries: all, left } = this.#plausible(read, id);
    // Attributes tell the extent of what the feature itself has.
    const standing = elsewhere === undefined ? geometries : geometriesOf(element, defaults);
    const own =
      standing === geometries && templates.length === 0
        ? all
        : this.#plausibility.filter(standing, () => {}).geometries;
    const systems = systemsOf(element);
    const placed = this.#placed(systems, defaults, id);
    if (typeof placed === 'string') {
      this.#context.account.lostWhole(number, placed);
      return;
    }
    const source = { number, defaults: placed };
    const isOtherRelief = this.#noteOtherReliefs(element, id);
    const isBroken = this.#losses.noteBroken(element, written, systems.unplaced, id);
    this.#losses.noteLeft(element.name, read, left);
    const [implausible] = left.values();
    let isFlat = false;
    if (SPLIT_TYPES.has(this.#gml.type)) {
      for (const [owner, own] of byOwner(element, all)) {
        if (await this.#addOne(owner, own, source, false)) isFlat = true;
      }
    } else isFlat = await this.#addOne(element, all, source, inside !== null, own);
    const refers = elsewhere !== undefined;
    this.#losses.noteGaps(number, {
      isUnplaced: systems.unknown.length > 0,
      isFlat,
      isBroken,
      implausible,
      isOtherRelief,
      refers,
    });
  }

  /** Counts what terrain is given as beside triangles; true where there is some. */
  #noteOtherReliefs(element: XmlElement, id: string): boolean {
    if (OTHER_RELIEFS.has(element.name)) {
      this.#issues.count('RELIEF_UNCONVERTED', id, element.name);
      return true;
    }
    let isFound = false;
    for (const { name, children } of element.children) {
      if (name !== 'dem:reliefComponent') continue;
      for (const child of children) if (this.#noteOtherReliefs(child, id)) isFound = true;
    }
    return isFound;
  }

  /** Appearances of a feature, and of all inside of it: surfaces, parts, and the templates of CityGML 3.0. */
  #addAppearances({ children }: XmlElement): void {
    for (const child of children) {
      if (APPEARANCES.has(child.name)) this.appearances.add(child);
      else if (child.children.length > 0 && !child.name.startsWith('gml:')) this.#addAppearances(child);
    }
  }

  /**
   * A feature that is too large for a tree becomes several records with the same attributes. Its polygons are read one
   * by one; what is left of its text has the attributes.
   */
  async addLarge(large: LargeFeature): Promise<void> {
    const { chunks, parse, defaults, number } = large;
    const { account } = this.#context;
    account.feature(number, LARGE_TYPE);
    account.fate(number, NO_LOD, Fate.there);
    if (!this.#isKnown(large, null)) {
      account.lostWhole(number, 'CRS_UNKNOWN');
      return;
    }
    const first = this.features.length;
    let extent: Extent | null = null;
    const pieces = new SurfacePieces((lod, surfaces) => {
      const body = bodyOfSurfaces(surfaces);
      // Attributes have the heights of the file.
      extent = widened(extent, body.positions);
      this.#addPiece(number, lod, body, defaults);
    });
    const cutter = new ElementCutter('polygons', WHOLE_FEATURE);
    const isPlaced = (polygon: XmlElement) => this.#liesAsIn(defaults, polygon, this.#ids.nameOf(number));
    const surfacesIn = (polygon: XmlElement, lod: number) => {
      const read = new GeometryReader(polygon, defaults).read([polygon]);
      const geometry: LodGeometry = { ...read, property: '', lod, owner: polygon, role: 'body' };
      const { geometries, left } = this.#plausible([geometry], this.#ids.nameOf(number));
      if (read.surfaces.length === 0) noteUnread(lod);
      this.#losses.noteLeft(LARGE_TYPE, [geometry], left);
      return geometries.flatMap(surfacesOf);
    };
    const noteUnread = (lod: number) => {
      this.#issues.count('POLYGON_BROKEN', this.#ids.nameOf(number));
      if (!this.#tiled.includes(lod)) return;
      const tally = account.surfaces(LARGE_TYPE, lod);
      tally.in++;
      addTo(tally.rest, 'POLYGON_BROKEN', 1);
    };
    const tapped = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunks()) {
        for (const { text, lod } of cutter.push(chunk)) {
          const polygon = parse(text);
          if (!isPlaced(polygon)) continue;
          pieces.add(lod ?? 1, surfacesIn(polygon, lod ?? 1));
        }
        yield chunk;
      }
    };
    try {
      const member = parse(Buffer.from(await skimFeature(tapped())));
      pieces.flush();
      const feature = member.children[0] ?? member;
      const id = this.#ids.of(feature, number);
      account.attributes.read(feature);
      this.#noteOtherReliefs(feature, id);
      // Terrain is a surface all the same, and large as a rule.
      if (this.#gml.type !== 'dem') this.#issues.count('FEATURE_LARGE', id);
      account.feature(number, feature.name);
      account.fate(number, NO_LOD, Fate.none);
      if (extent !== null && isTooWide(extent)) {
        this.features.length = first;
        this.#issues.count('FEATURE_TOO_WIDE', id);
        account.fate(number, NO_LOD, Fate.there);
        account.lost(number, NO_LOD, 'FEATURE_TOO_WIDE');
        return;
      }
      this.#finishPieces(this.features.slice(first), await this.#head(feature, id, extent));
    } catch (error) {
      if (!(error instanceof FeatureXmlError || error instanceof FeatureTooLarge)) throw error;
      this.features.length = first;
      this.#issues.count(
        'FEATURE_TOO_LARGE',
        this.#ids.nameOf(number),
        'its attributes are too large or not well formed',
      );
      account.lostWhole(number, 'FEATURE_TOO_LARGE');
    }
  }

  /** Geometry without what is implausible, which becomes issues. */
  #plausible(geometries: readonly LodGeometry[], id: string): PlausibleGeometry {
    return this.#plausibility.filter(geometries, (code, count) => this.#issues.count(code, id, '', count));
  }

  /** Adds a record; true when some geometry has no heights and was left out. */
  async #addOne(
    feature: XmlElement,
    geometries: LodGeometry[],
    { number, defaults }: Placed,
    hasInterior: boolean,
    standing = geometries,
  ): Promise<boolean> {
    const isAsked = hasInterior && isInteriorAsked(this.#context.options);
    const highest = isAsked
      ? INTERIOR_LOD
      : Math.min(this.#highestLod, hasInterior ? INTERIOR_LOD - 1 : INTERIOR_LOD);
    const bodies = bodiesOf(feature, geometries, highest, this.#implicit.around);
    const id = this.#ids.of(feature, number);
    if (bodies.flat) this.#issues.count('FLAT_DATA', id);
    // No tile has a row of the rest.
    if (!this.#tiled.some((lod) => bodies.lods[lod] != null)) return bodies.flat;
    const head = await this.#head(feature, id, extentOf(standingGeometry(standing)));
    if (LONG_TYPES.has(this.#gml.type) && bodies.lods.some(isLong)) {
      const first = this.features.length;
      for (const [lod, body] of bodies.lods.entries()) {
        if (body === null) continue;
        for (const piece of cutBody(body, PIECE_POSITIONS)) this.#addPiece(number, lod, piece, defaults);
      }
      this.#finishPieces(this.features.slice(first), head);
      return bodies.flat;
    }
    const facts = bodies.lods.map((body) =>
      body === null ? null : raise(body, raisingOf(defaults.srsName, this.#context)),
    );
    const record = this.records.append(head, bodies.lods);
    this.#context.account.attributes.row(head.columns);
    this.features.push({
      record,
      number,
      ...headFacts(head),
      bodies: facts,
      hasInterior,
      whole: null,
      nextLod: Infinity,
    });
    return bodies.flat;
  }

  /** A piece of a feature, whose attributes `#finishPieces` adds. */
  #addPiece(number: number, lod: number, body: Body, defaults: CoordinateDefaults): void {
    const facts = raise(body, raisingOf(defaults.srsName, this.#context));
    const byLod = <T>(value: T) => LODS.map((own) => (own === lod ? value : null));
    const head: FeatureHead = { id: '', type: '', columns: [] };
    const record = this.records.append(head, byLod(body));
    const bodies = byLod(facts);
    this.features.push({
      ...{ record, number, ...headFacts(head), bodies },
      ...{ hasInterior: false, whole: null, nextLod: Infinity },
    });
  }

  /**
   * Gives all pieces of a feature its attributes; those of a lower level of detail are not shown beside those of a
   * higher one.
   */
  #finishPieces(pieces: readonly FeatureFacts[], head: FeatureHead): void {
    const lodOf = ({ bodies }: FeatureFacts) => bodies.findIndex((body) => body !== null);
    const lods = pieces.map(lodOf);
    // Pieces of terrain have one row together.
    const rows = this.#gml.type === 'dem' ? Math.min(pieces.length, 1) : pieces.length;
    this.#context.account.attributes.row(head.columns, rows);
    const shared = { ...headFacts(head), whole: wholeOf(pieces) };
    for (const [i, facts] of pieces.entries()) {
      this.records.setHead(facts.record, head);
      Object.assign(facts, shared, { nextLod: Math.min(...new Set(lods.filter((lod) => lod > lods[i]!))) });
    }
  }

  async #head(feature: XmlElement, id: string, extent: Extent | null): Promise<FeatureHead> {
    const columns = columnsOf(feature, {
      labels: await this.#labels.of(feature),
      package: this.#gml.package,
      mesh: this.#gml.mesh,
      sheet: this.#sheet,
      fallbackId: id,
      extent,
      slim: this.#context.options.slim,
      account: this.#context.account.attributes,
    });
    setId(columns, id);
    return { id, type: feature.name, columns };
  }

  #isKnown({ defaults, number }: Pick<GmlFeature, 'defaults' | 'number'>, id: string | null): boolean {
    const { srsName } = defaults;
    this.srsName = srsName;
    if (srsName !== null && crsOf(srsName) !== null) {
      if (defaults.isTurned) this.#issues.count('AXES_TURNED', id ?? this.#ids.nameOf(number), srsName);
      return true;
    }
    this.#issues.count('CRS_UNKNOWN', id ?? this.#ids.nameOf(number), srsName ?? NO_SYSTEM);
    return false;
  }

  /**
   * The reference system of the feature's heights: its geometry may name another one than its file. An issue where they
   * cannot be brought to the ellipsoid together: then its code. Throws VerticalRefused where those of the file cannot
   * be.
   */
  #placed(systems: OwnSystems, defaults: CoordinateDefaults, id: string): CoordinateDefaults | IssueCode {
    for (const name of systems.unknown) this.#issues.count('CRS_UNKNOWN', id, name);
    if (this.#context.options.heights === 'elevation') return defaults;
    if (systems.names.has(null)) heightKindOf(defaults.srsName);
    try {
      const srsName = heightSystemOf(systems, defaults.srsName);
      if (srsName !== 'mixed') return { ...defaults, srsName };
      this.#issues.count('HEIGHTS_MIXED', id);
      return 'HEIGHTS_MIXED';
    } catch (error) {
      if (!(error instanceof VerticalRefused)) throw error;
      this.#issues.count('VERTICAL_SYSTEM_REFUSED', id, error.message);
      return 'VERTICAL_SYSTEM_REFUSED';
    }
  }

  /** Whether a polygon of a large feature has heights as its file; an issue where it has not. */
  #liesAsIn(defaults: CoordinateDefaults, polygon: XmlElement, id: string): boolean {
    const systems = systemsOf(polygon);
    systems.names.add(null);
    return typeof this.#placed(systems, defaults, id) !== 'string';
  }
}

function isLong(body: Body | null): boolean {
  return body !== null && body.positions.length / 3 > WHOLE_POSITIONS;
}
