/** What metadata says of layers: their columns, how many features they have, and where. */
import { compareTexts } from '@citymodel/base';
import type { Footprint } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import type { FieldType } from './vector-properties.ts';

export interface LayerFacts {
  features: number;
  /** Features by type of geometry in tiles. */
  geometry: 'Point' | 'LineString' | 'Polygon';
  fields: Record<string, FieldType>;
}

export interface LayerSummary {
  layers: Record<string, LayerFacts>;
  bounds: Bounds;
}

/** A layer while it grows. */
type Growing = Pick<LayerFacts, 'features' | 'geometry'> & { fields: Map<string, FieldType> };

export class SummaryBuilder {
  readonly #layers = new Map<string, Growing>();
  readonly #bounds: Bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  features = 0;

  add(layer: string, { polygons, lines, points }: Footprint, fields: ReadonlyMap<string, FieldType>): void {
    const geometry = polygons.length > 0 ? 'Polygon' : lines.length > 0 ? 'LineString' : 'Point';
    this.#addLayer(layer, { features: 1, geometry }, fields);
    for (const path of [...polygons.map(([outside]) => outside!), ...lines, ...points]) {
      for (let i = 0; i < path.length; i += 2) this.#cover(path[i]!, path[i + 1]!, path[i]!, path[i + 1]!);
    }
  }

  /** Adds another summary. */
  merge({ layers, bounds }: LayerSummary): void {
    for (const [name, facts] of Object.entries(layers))
      this.#addLayer(name, facts, Object.entries(facts.fields));
    this.#cover(bounds.west, bounds.south, bounds.east, bounds.north);
  }

  /** Layers and columns by name. */
  result(): LayerSummary {
    const byName = ([a]: [string, unknown], [b]: [string, unknown]) => compareTexts(a, b);
    const layers = [...this.#layers].sort(byName).map(([name, facts]): [string, LayerFacts] => {
      const fields = Object.fromEntries([...facts.fields].sort(byName));
      return [name, { ...facts, fields }];
    });
    return { layers: Object.fromEntries(layers), bounds: { ...this.#bounds } };
  }

  #addLayer(
    name: string,
    { features, geometry }: Pick<LayerFacts, 'features' | 'geometry'>,
    fields: Iterable<readonly [string, FieldType]>,
  ): void {
    this.features += features;
    let known = this.#layers.get(name);
    if (known === undefined) {
      known = { features: 0, geometry, fields: new Map() };
      this.#layers.set(name, known);
    }
    known.features += features;
    // A column that is a number here and a text there is told as a text.
    for (const [key, type] of fields) {
      const before = known.fields.get(key);
      if (before !== type && before !== 'String') known.fields.set(key, type);
    }
  }

  #cover(west: number, south: number, east: number, north: number): void {
    const bounds = this.#bounds;
    bounds.west = Math.min(bounds.west, west);
    bounds.south = Math.min(bounds.south, south);
    bounds.east = Math.max(bounds.east, east);
    bounds.north = Math.max(bounds.north, north);
  }
}
