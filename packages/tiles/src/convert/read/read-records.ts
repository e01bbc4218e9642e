/**
 * One pass over a GML file: its features as records on the disk, what plans need of them in memory, its appearances.
 */
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
  localName,
  mapSheetOf,
  skimFeature,
  standingGeometry,
  surfacesOf,
  type XmlElement,
} from '@citymodel/citygml';
import type { Extent } from '@citymodel/geo';
import { Fate, NO_LOD } from '../account/part-account.ts';
import { addTo } from '../account/tally.ts';
import { INTERIOR_LOD, isTerrain, LARGE_TYPE, noteFeature, writtenLevel } from '../account/written-levels.ts';
import { heightKindOf, isRevised, VerticalRefused } from '../heights/vertical.ts';
import type { GmlSource, PartContext } from '../part-maker.ts';
import { Appearances } from './appearances.ts';
import { type Body, bodiesOf, bodyOfSurfaces, unreadPolygons } from './bodies.ts';
import { areaOf } from './body-area.ts';
import { GmlCodeLabels } from './code-labels.ts';
import type { Column } from './column.ts';
import { columnsOf } from './columns.ts';
import { cutBody } from './cut-body.ts';
import { type GmlFeature, type LargeFeature, WHOLE_FEATURE } from './features.ts';
import { ImplicitGeometries } from './implicit-geometry.ts';
import { isInteriorAsked, withInterior } from './interiors.ts';
import { type IssueCode, IssueCounter } from './issue-counter.ts';
import { keyOf } from './key.ts';
import { heightSystemOf, NO_SYSTEM, type OwnSystems, systemsOf } from './own-systems.ts';
import type { FeatureHead } from './pack-head.ts';
import { isTooWide, Plausibility, type PlausibleGeometry } from './plausible.ts';
import { RecordFile } from './record-file.ts';
import { readResolved } from './resolved-features.ts';
import { SurfacePieces } from './surface-pieces.ts';

/** Where a body lies, and how large it is. */
export interface BodyFacts {
  /** Degrees. */
  west: number;
  south: number;
  east: number;
  north: number;
  /** Ellipsoidal heights, metres. */
  low: number;
  high: number;
  /** Heights as the data has them, metres. */
  bottom: number;
  top: number;
  /** Positions in it, and polygons. */
  positions: number;
  polygons: number;
  /** Of its polygons, square metres. */
  area: number;
}

/** Where a feature lies. */
export type WholeFacts = Omit<BodyFacts, 'low' | 'high' | 'positions' | 'polygons' | 'area'>;

/** What is kept of a feature in memory. */
export interface FeatureFacts {
  /** In the record file. */
  record: number;
  /** Of the feature that it is, or is a part of, among those of the file. */
  number: number;
  id: string;
  /** Qualified name of its element. */
  type: string;
  /** Code of its gml:name; null when it has none. */
  nameCode: string | null;
  /** 5 digits of the municipality that it is in. */
  cityCode: string;
  /** Bytes of its attributes in a table. */
  textBytes: number;
  /** Of these, bytes of the column `attributes`. */
  jsonBytes: number;
  /** By level of detail, 0 to 4. */
  bodies: Array<BodyFacts | null>;
  /** True when its body at `INTERIOR_LOD` is its inside alone, which packages of their own show. */
  hasInterior: boolean;
  /** Of a feature that is in several records, all of it by level of detail; null for one that is in one. */
  whole: ReadonlyArray<WholeFacts | null> | null;
  /** The next level of detail that the feature has, in other records; Infinity for none. */
  nextLod: number;
}

export interface GmlRecords {
  features: FeatureFacts[];
  records: RecordFile;
  appearances: Appearances;
  /** Of the features that were read last; all of a file have the same. */
  srsName: string | null;
}

/** What is known of a feature besides its geometry. */
type Placed = Pick<GmlFeature, 'number' | 'defaults'>;

/** Why there is nothing of a feature at a level of detail. */
interface Gaps {
  isUnplaced: boolean;
  isFlat: boolean;
  isBroken: boolean;
  /** Why some of it was left out as implausible. */
  implausible: IssueCode | undefined;
  /** It refers to something outside of it. */
  refers: boolean;
}

/** Types whose parts are features of tiles, as published: the areas of a road. */
const AREAS = new Set(['TrafficArea', 'AuxiliaryTrafficArea']);
const SPLIT_TYPES = new Set(['tran', 'rwy', 'trk', 'squr', 'wwy']);
/** The property of a feature or template that has its appearance, of CityGML 2.0 and 3.0. */
const APPEARANCES = new Set(['app:appearance', 'core:appearance']);
/** Types of surfaces and pipes that may reach over kilometres. */
const LONG_TYPES = new Set(['wtr', 'unf']);
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

/**
 * By how many metres heights of this reference system are raised to the ellipsoid at a place in degrees. Throws
 * VerticalRefused for a system whose heights cannot be.
 */
export function raisingOf(
  srsName: string | null,
  { heights, options }: Pick<PartContext, 'heights' | 'options'>,
): (lng: number, lat: number) => number {
  if (options.heights === 'elevation') {
    heights.elevations.add(isRevised(srsName) ? 'jgd2024' : 'jgd2011');
    return () => 0;
  }
  const kind = heightKindOf(srsName);
  if (kind === 'ellipsoid') return () => 0;
  const datum = kind === 'jgd2024' ? 'jgd2024' : 'jgd2011';
  return (lng, lat) => heights.offset(lng, lat, datum);
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
  readonly #sheet: string | null;
  /** Levels of detail that tiles are made of. */
  readonly #tiled: readonly number[];
  /** Higher levels of detail are not wanted. */
  readonly #highestLod: number;
  /** How often the id with a key was seen. */
  readonly #ids = new Map<number, number>();

  constructor(gml: GmlSource, context: PartContext, issues: IssueCounter, tiled: readonly number[]) {
    this.#tiled = tiled;
    this.#gml = gml;
    this.#context = context;
    this.#issues = issues;
    this.#labels = new GmlCodeLabels(gml);
    this.#implicit = new ImplicitGeometries(issues, gml.size);
    this.#plausibility = new Plausibility(gml, true);
    this.#sheet = mapSheetOf(gml.path);
    this.#highestLod = Math.max(1, ...(context.options.lods ?? [4]));
    this.records = new RecordFile(context.scratch);
    this.appearances = new Appearances(gml.path);
  }

  async add(feature: GmlFeature & { elsewhere?: Elsewhere }): Promise<void> {
    const { element, defaults, elsewhere, number } = feature;
    this.#addAppearances(element);
    noteFeature(this.#context.account, number, element);
    if (isTerrain(element)) return;
    if (!this.#isKnown(feature, gmlIdOf(element))) {
      this.#context.account.lostWhole(number, 'CRS_UNKNOWN');
      return;
    }
    const id = gmlIdOf(element) ?? this.#nameOf(feature.number);
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
    const isBroken = this.#noteBroken(element, written, systems.unplaced, id);
    this.#noteLeft(element.name, read, left);
    const [implausible] = left.values();
    let isFlat = false;
    if (SPLIT_TYPES.has(this.#gml.type)) {
      for (const [owner, own] of byOwner(element, all)) {
        if (await this.#addOne(owner, own, source, false)) isFlat = true;
      }
    } else isFlat = await this.#addOne(element, all, source, inside !== null, own);
    const refers = elsewhere !== undefined;
    this.#noteGaps(number, { isUnplaced: systems.unknown.length > 0, isFlat, isBroken, implausible, refers });
  }

  /** Appearances of a feature, and of all inside of it: surfaces, parts, and the templates of CityGML 3.0. */
  #addAppearances({ children }: XmlElement): void {
    for (const child of children) {
      if (APPEARANCES.has(child.name)) this.appearances.add(child);
      else if (child.children.length > 0 && !child.name.startsWith('gml:')) this.#addAppearances(child);
    }
  }

  /** Why there is nothing of the feature at levels that have no body; levels that have one are claimed later. */
  #noteGaps(number: number, { isUnplaced, isFlat, isBroken, implausible, refers }: Gaps): void {
    const { account } = this.#context;
    const code = isUnplaced
      ? 'CRS_UNKNOWN'
      : isFlat
        ? 'FLAT_DATA'
        : isBroken
          ? 'POLYGON_BROKEN'
          : (implausible ?? (refers ? 'REFERENCE_UNRESOLVED' : null));
    if (code === null) return;
    for (const lod of this.#tiled) if (account.isOpen(number, lod)) account.lost(number, lod, code);
  }

  /** Counts surfaces that were left out as implausible, at each level of detail that has them. */
  #noteLeft(
    type: string,
    geometries: readonly LodGeometry[],
    left: ReadonlyMap<XmlElement, IssueCode>,
  ): void {
    if (left.size === 0) return;
    for (const lod of this.#tiled) {
      const own = geometries.filter((geometry) => geometry.role === 'body' && geometry.lod === lod);
      const tally = this.#context.account.surfaces(type, lod);
      for (const element of new Set(own.flatMap(surfacesOf).map((surface) => surface.element))) {
        const code = left.get(element);
        if (code === undefined) continue;
        tally.in++;
        addTo(tally.rest, code, 1);
      }
    }
  }

  /**
   * Counts polygons that cannot be read; true when there are some. Those in systems that are not known have an issue of
   * their own.
   */
  #noteBroken(
    feature: XmlElement,
    geometries: readonly LodGeometry[],
    unplaced: ReadonlySet<XmlElement>,
    id: string,
  ): boolean {
    let broken = 0;
    for (const { polygon, property } of unreadPolygons(feature, geometries)) {
      const code = unplaced.has(polygon) ? 'CRS_UNKNOWN' : 'POLYGON_BROKEN';
      if (code === 'POLYGON_BROKEN') broken++;
      const lod = writtenLevel(property);
      if (lod === null || !this.#tiled.includes(lod)) continue;
      const tally = this.#context.account.surfaces(feature.name, lod);
      tally.in++;
      addTo(tally.rest, code, 1);
    }
    if (broken > 0) this.#issues.count('POLYGON_BROKEN', id, '', broken);
    return broken > 0;
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
    const isPlaced = (polygon: XmlElement) => this.#liesAsIn(defaults, polygon, this.#nameOf(number));
    const surfacesIn = (polygon: XmlElement, lod: number) => {
      const read = new GeometryReader(polygon, defaults).read([polygon]);
      const geometry: LodGeometry = { ...read, property: '', lod, owner: polygon, role: 'body' };
      const { geometries, left } = this.#plausible([geometry], this.#nameOf(number));
      if (read.surfaces.length === 0) noteUnread(lod);
      this.#noteLeft(LARGE_TYPE, [geometry], left);
      return geometries.flatMap(surfacesOf);
    };
    const noteUnread = (lod: number) => {
      this.#issues.count('POLYGON_BROKEN', this.#nameOf(number));
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
      const id = this.#idOf(feature, number);
      account.attributes.read(feature);
      this.#issues.count('FEATURE_LARGE', id);
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
        this.#nameOf(number),
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
    const id = this.#idOf(feature, number);
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
    const facts = bodies.lods.map((body) => (body === null ? null : this.#raise(body, defaults)));
    const record = this.records.append(head, bodies.lods);
    this.#context.account.attributes.row(head.columns);
    this.features.push({
      record,
      number,
      ...this.#factsOf(head),
      bodies: facts,
      hasInterior,
      whole: null,
      nextLod: Infinity,
    });
    return bodies.flat;
  }

  /** A piece of a feature, whose attributes `#finishPieces` adds. */
  #addPiece(number: number, lod: number, body: Body, defaults: CoordinateDefaults): void {
    const facts = this.#raise(body, defaults);
    const byLod = <T>(value: T) => Array.from({ length: 5 }, (_, i) => (i === lod ? value : null));
    const head: FeatureHead = { id: '', type: '', columns: [] };
    const record = this.records.append(head, byLod(body));
    const bodies = byLod(facts);
    this.features.push({
      ...{ record, number, ...this.#factsOf(head), bodies },
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
    this.#context.account.attributes.row(head.columns, pieces.length);
    const shared = { ...this.#factsOf(head), whole: wholeOf(pieces) };
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

  #factsOf({
    id,
    type,
    columns,
  }: FeatureHead): Omit<FeatureFacts, 'record' | 'number' | 'bodies' | 'hasInterior' | 'whole' | 'nextLod'> {
    let [city, nameCode, textBytes, jsonBytes]: [string, string | null, number, number] = ['', null, 0, 0];
    for (const { name, value } of columns) {
      // A table has the offset of each text.
      const size = typeof value === 'string' ? Buffer.byteLength(value) + 4 : 8;
      textBytes += size;
      if (name === 'attributes') jsonBytes = size;
      else if (name === 'city_code') city = String(value);
      else if (name === 'gml:name_code') nameCode = String(value);
    }
    return { id, type, nameCode, cityCode: city, textBytes, jsonBytes };
  }

  /** Raises the body to the ellipsoid and tells where it is then. */
  #raise(body: Body, { srsName }: CoordinateDefaults): BodyFacts {
    const { positions, polygonEnds } = body;
    const raisedBy = raisingOf(srsName, this.#context);
    let [west, south, east, north] = [180, 90, -180, -90];
    let [low, high, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < positions.length; i += 3) {
      const [lng, lat, own] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
      const height = own + raisedBy(lng, lat);
      positions[i + 2] = height;
      bottom = Math.min(bottom, own);
      top = Math.max(top, own);
      west = Math.min(west, lng);
      south = Math.min(south, lat);
      east = Math.max(east, lng);
      north = Math.max(north, lat);
      low = Math.min(low, height);
      high = Math.max(high, height);
    }
    return {
      ...{ west, south, east, north, low, high, bottom, top },
      ...{ positions: positions.length / 3, polygons: polygonEnds.length, area: areaOf(body) },
    };
  }

  #isKnown({ defaults, number }: Pick<GmlFeature, 'defaults' | 'number'>, id: string | null): boolean {
    const { srsName } = defaults;
    this.srsName = srsName;
    if (srsName !== null && crsOf(srsName) !== null) {
      if (defaults.isTurned) this.#issues.count('AXES_TURNED', id ?? this.#nameOf(number), srsName);
      return true;
    }
    this.#issues.count('CRS_UNKNOWN', id ?? this.#nameOf(number), srsName ?? NO_SYSTEM);
    return false;
  }

  /** What stands for the id of a feature that has none. */
  #nameOf(number: number): string {
    return `${this.#gml.path}#${number}`;
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

  /** An id that no earlier feature of the file has. */
  #idOf(feature: XmlElement, number: number): string {
    const written = gmlIdOf(feature);
    const id = written ?? this.#nameOf(number);
    if (written === null) this.#issues.count('ID_MISSING', id);
    const seen = (this.#ids.get(keyOf(id)) ?? 0) + 1;
    this.#ids.set(keyOf(id), seen);
    if (seen === 1) return id;
    if (written !== null) this.#issues.count('ID_TWICE', id);
    return `${id}#${seen}`;
  }
}

function isLong(body: Body | null): boolean {
  return body !== null && body.positions.length / 3 > WHOLE_POSITIONS;
}

/**
 * The geometries of each traffic area of a road; those of the road itself at levels of detail where it has no areas.
 */
function byOwner(road: XmlElement, geometries: readonly LodGeometry[]): Map<XmlElement, LodGeometry[]> {
  const groups = new Map<XmlElement, LodGeometry[]>();
  const isOfArea = ({ owner }: LodGeometry) => AREAS.has(localName(owner.name));
  const divided = new Set(geometries.filter(isOfArea).map(({ lod }) => lod));
  for (const geometry of geometries) {
    const owner = isOfArea(geometry) ? geometry.owner : road;
    if (owner === road && divided.has(geometry.lod)) continue;
    const group = groups.get(owner);
    if (group === undefined) groups.set(owner, [geometry]);
    else group.push(geometry);
  }
  return groups;
}

/** Where all pieces of a feature lie, by level of detail. */
function wholeOf(pieces: readonly FeatureFacts[]): Array<WholeFacts | null> {
  return Array.from({ length: 5 }, (_, lod) => {
    const bodies = pieces.flatMap((piece) => piece.bodies[lod] ?? []);
    if (bodies.length === 0) return null;
    const least = (name: keyof WholeFacts) =>
      bodies.reduce((value, body) => Math.min(value, body[name]), Infinity);
    const most = (name: keyof WholeFacts) =>
      bodies.reduce((value, body) => Math.max(value, body[name]), -Infinity);
    return {
      west: least('west'),
      south: least('south'),
      east: most('east'),
      north: most('north'),
      bottom: least('bottom'),
      top: most('top'),
    };
  });
}

/** Only a feature whose id is another one's has another id in its columns than in the file. */
function setId(columns: Column[], id: string): void {
  const column = columns.find(({ name }) => name === 'gml_id');
  if (column !== undefined) column.value = id;
}

/** An extent that holds positions (longitude, latitude, height), too. */
function widened(extent: Extent | null, positions: Float64Array): Extent | null {
  let wide = extent;
  for (let i = 0; i < positions.length; i += 3) {
    const [lng, lat, alt] = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
    wide ??= { west: lng, south: lat, east: lng, north: lat, minAlt: alt, maxAlt: alt };
    wide.west = Math.min(wide.west, lng);
    wide.south = Math.min(wide.south, lat);
    wide.east = Math.max(wide.east, lng);
    wide.north = Math.max(wide.north, lat);
    wide.minAlt = Math.min(wide.minAlt, alt);
    wide.maxAlt = Math.max(wide.maxAlt, alt);
  }
  return wide;
}
