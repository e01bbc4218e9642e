/**
 * Terrain as surfaces. In the leaves each relief is a row with its attributes. Above them all reliefs of the file are
 * one surface, so that no gap opens between those that touch. Its row has what they have in common.
 */
import { isClockwise, SurfaceNormals } from '../mesh/surface-normals.ts';
import type { Body } from '../read/bodies.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { headAt } from './coarse-content.ts';
import { DrawnBodies } from './drawn-bodies.ts';
import { type Look, linear, PLAIN_POLYGON, packColour } from './look.ts';
import type { SurfaceGrouping, SurfaceMember } from './surfaces.ts';
import type { ShownFeature } from './tile-model.ts';

/** A warm brown that walls and water stand out from, in sRGB. */
const GROUND = packColour(linear(0.76), linear(0.7), linear(0.57), 1);
const ALL = 0;

/** A relief, or the pieces of one, at the level of detail that it is shown at. */
interface Relief {
  pieces: FeatureFacts[];
  lod: number;
}

/** The highest level of detail up to `lod` that a feature is shown at; null for none. */
function shownAt({ bodies, nextLod }: FeatureFacts, lod: number): number | null {
  if (nextLod <= lod) return null;
  for (let at = lod; at >= 1; at--) if (bodies[at] != null) return at;
  return null;
}

export class TerrainReliefs implements SurfaceGrouping {
  readonly lod: number;
  readonly members: readonly SurfaceMember[];
  readonly #records: GmlRecords['records'];
  readonly #reliefs: readonly Relief[];
  readonly #normals = new SurfaceNormals();
  #common: FeatureHead | null = null;

  /** Reliefs at their highest level of detail up to `lod`. */
  constructor({ features, records }: GmlRecords, lod: number) {
    this.lod = lod;
    this.#records = records;
    const reliefs = new Map<number, Relief>();
    const numbers = new Map<number, number>();
    const members: SurfaceMember[] = [];
    for (const facts of features) {
      const level = shownAt(facts, lod);
      if (level === null) continue;
      const relief = reliefs.get(facts.number) ?? { pieces: [], lod: level };
      relief.pieces.push(facts);
      reliefs.set(facts.number, relief);
      if (!numbers.has(facts.number)) numbers.set(facts.number, numbers.size);
      members.push({ facts, lod: level, group: numbers.get(facts.number)!, coarse: ALL });
    }
    this.members = members;
    this.#reliefs = [...reliefs.values()];
  }

  /** Reliefs that are shown at the very level of detail, with the number that they are accounted for by. */
  get groups(): Array<{ source: number; features: readonly FeatureFacts[] }> {
    return this.#reliefs.flatMap(({ pieces, lod }) =>
      lod === this.lod ? [{ source: sourceOf(pieces, lod), features: pieces }] : [],
    );
  }

  get count(): number {
    return this.#reliefs.length;
  }

  row(group: number): Pick<ShownFeature, 'head' | 'source'> {
    const { pieces, lod } = this.#reliefs[group]!;
    return { head: headAt(this.#records, pieces[0]!, lod, false), source: sourceOf(pieces, lod) };
  }

  coarseHead(): FeatureHead {
    this.#common ??= this.#commonHead();
    return this.#common;
  }

  note(body: Body): void {
    for (let ring = 0; ring < body.ringEnds.length; ring++)
      this.#normals.add(body.positions, body.ringEnds[ring - 1] ?? 0, body.ringEnds[ring]!);
  }

  look(features: readonly ShownFeature[]): Look {
    return {
      images: [],
      of: (feature, polygon) => {
        const { positions, ringEnds, polygonEnds } = features[feature]!.body;
        const [firstRing, lastRing] = [polygonEnds[polygon - 1] ?? 0, polygonEnds[polygon]!];
        const from = ringEnds[firstRing - 1] ?? 0;
        const shade = {
          normals: this.#normals.of(positions, from, ringEnds[lastRing - 1]!),
          isTurned: isClockwise(positions, from, ringEnds[firstRing]!),
        };
        return { ...PLAIN_POLYGON, colour: GROUND, shade };
      },
    };
  }

  #commonHead(): FeatureHead {
    const headOf = ({ pieces, lod }: Relief) => headAt(this.#records, pieces[0]!, lod, true);
    const common = headOf(this.#reliefs[0]!);
    for (const relief of this.#reliefs) {
      const values = new Map(headOf(relief).columns.map(({ name, value }) => [name, value]));
      common.columns = common.columns.filter(({ name, value }) => values.get(name) === value);
    }
    return common;
  }
}

function sourceOf(pieces: readonly FeatureFacts[], lod: number): number {
  return DrawnBodies.sourceOf(pieces[0]!.record, lod);
}
