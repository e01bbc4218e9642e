/** What became of a feature between two editions. */
import { canonical, type NamedValue } from './attribute-values.ts';
import type { FeatureRecord } from './feature-record.ts';
import type { ComparedShape } from './feature-shape.ts';
import { metresBetween } from './local-plane.ts';
import type { MatchedBy } from './match-features.ts';
import type { Outline } from './outline.ts';

/** Metres, square and cubic metres up to which sizes are the same. */
const SAME_LENGTH = 0.01;
const SAME_AREA = 0.1;
const SAME_VOLUME = 0.5;
/** JSON of changed attributes that a difference holds, characters; what comes after them is counted. */
const MAX_ATTRIBUTES = 20_000;

/** A size before and after; null where an edition does not tell it. */
export interface SizeChange {
  from: number | null;
  to: number | null;
}

export interface AttributeChange {
  /** Names of nested objects are joined by `/`. */
  name: string;
  /** Absent where the edition has no such attribute. */
  from?: NamedValue;
  to?: NamedValue;
}

export interface GeometryChange {
  /** Metres between the middles of the footprints, at the same level of detail. */
  movedBy: number | null;
  /** Metres. */
  height: SizeChange;
  /** Square metres. */
  footprintArea: SizeChange;
  /** Cubic metres. */
  volume: SizeChange;
  lods: { from: number[]; to: number[] };
}

interface Placed {
  /** Qualified name of the element, in the newer edition where it is there. */
  type: string;
  /** gml:id, in the newer edition where it is there. */
  id: string | null;
  /** Degrees: west, south, east, north; null without geometry. */
  bounds: [number, number, number, number] | null;
  centre: [number, number] | null;
  /** Footprint, of the newer edition where it has the feature; null without an area. */
  outline: Outline | null;
}

export interface Appearance extends Placed {
  change: 'added' | 'removed';
  height: number | null;
  footprintArea: number | null;
  volume: number | null;
  lods: number[];
}

export interface Change extends Placed {
  change: 'changed';
  /** gml:id in the older edition. */
  fromId: string | null;
  matchedBy: MatchedBy;
  attributes: AttributeChange[];
  /** Changed attributes that are not listed. */
  attributesLeft: number;
  /** Null when the geometry is the same. */
  geometry: GeometryChange | null;
}

export type Difference = Appearance | Change;

/** A feature that only one of the editions has. */
export function appearanceOf(change: Appearance['change'], record: FeatureRecord): Appearance {
  const { shape } = record;
  return {
    change,
    ...placeOf(record),
    height: rounded(shape?.height ?? null),
    footprintArea: rounded(shape?.area ?? null),
    volume: rounded(shape?.volume ?? null),
    lods: shape?.lods ?? [],
  };
}

/** Null when nothing has changed but ids. */
export function changeBetween(
  before: FeatureRecord,
  after: FeatureRecord,
  matchedBy: MatchedBy,
): Change | null {
  const attributes = attributeChanges(before, after);
  const geometry = geometryChange(before.shape, after.shape);
  if (attributes.length === 0 && geometry === null) return null;
  let room = MAX_ATTRIBUTES;
  const listed = attributes.filter((one) => {
    room -= JSON.stringify(one).length;
    return room >= 0;
  });
  return {
    change: 'changed',
    ...placeOf(after.shape === null ? { ...after, shape: before.shape } : after),
    fromId: before.id,
    matchedBy,
    attributes: listed,
    attributesLeft: attributes.length - listed.length,
    geometry,
  };
}

function placeOf({ type, id, shape }: FeatureRecord): Placed {
  const { bounds = null, centre = null, outline = null } = shape ?? {};
  return { type, id, bounds, centre, outline };
}

function attributeChanges(before: FeatureRecord, after: FeatureRecord): AttributeChange[] {
  const old = new Map(before.attributes);
  const changes: AttributeChange[] = [];
  for (const [name, to] of after.attributes) {
    const from = old.get(name);
    old.delete(name);
    if (from === undefined) changes.push({ name, to });
    else if (canonical(from.value) !== canonical(to.value)) changes.push({ name, from, to });
  }
  for (const [name, from] of old) changes.push({ name, from });
  return changes;
}

function geometryChange(before: ComparedShape | null, after: ComparedShape | null): GeometryChange | null {
  if (before?.digest === after?.digest) return null;
  const isComparable = before !== null && after !== null && before.lod === after.lod;
  const moved = isComparable ? metresBetween(before.centre, after.centre) : null;
  return {
    movedBy: moved === null || moved < SAME_LENGTH ? (moved === null ? null : 0) : rounded(moved),
    height: sizes(before?.height, after?.height, SAME_LENGTH),
    footprintArea: sizes(before?.area, after?.area, SAME_AREA),
    volume: sizes(before?.volume, after?.volume, SAME_VOLUME),
    lods: { from: before?.lods ?? [], to: after?.lods ?? [] },
  };
}

/** Two sizes within the tolerance are told as one. */
function sizes(from: number | null = null, to: number | null = null, tolerance: number): SizeChange {
  const isSame = from !== null && to !== null && Math.abs(from - to) < tolerance;
  return { from: rounded(isSame ? to : from), to: rounded(to) };
}

/** Millimetres are finer than what is published. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}
