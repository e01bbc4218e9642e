/** What metadata says of layers: their columns, how many features they have, and where. */
import type { Footprint } from '../../citygml/geometry/footprint.ts';
import type { Bounds } from '../../geo/bounds.ts';

export interface LayerFacts {
  features: number;
  /** Features by type of geometry in tiles. */
  geometry: 'Point' | 'LineString' | 'Polygon';
  fields: Record<string, 'String' | 'Number'>;
}

export interface LayerSummary {
  layers: Record<string, LayerFacts>;
  bounds: Bounds;
}

export class SummaryBuilder {
  readonly #layers = new Map<string, LayerFacts>();
  readonly #bounds: Bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  features = 0;

  add(layer: string, { polygons, lines, points }: Footprint, fields: LayerFacts['fields']): void {
    const geometry = polygons.length > 0 ? 'Polygon' : lines.length > 0 ? 'LineString' : 'Point';
    this.#addLayer(layer, { features: 1, geometry, fields });
    this.features++;
    for (const path of [...polygons.map(([outside]) => outside!), ...lines, ...points]) {
      for (let i = 0; i < path.length; i += 2) this.#cover(path[i]!, path[i + 1]!, path[i]!, path[i + 1]!);
    }
  }

  /** Adds another summary. */
  merge({ layers, bounds }: LayerSummary): void {
    for (const [name, facts] of Object.entries(layers)) {
      this.#addLayer(name, facts);
      this.features += facts.features;
    }
    this.#cover(bounds.west, bounds.south, bounds.east, bounds.north);
  }

  /** Layers and columns by name. */
  result(): LayerSummary {
    const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
    const layers = [...this.#layers].sort(byName).map(([name, facts]): [string, LayerFacts] => {
      const fields = Object.fromEntries(Object.entries(facts.fields).sort(byName));
      return [name, { ...facts, fields }];
    });
    return { layers: Object.fromEntries(layers), bounds: { ...this.#bounds } };
  }

  #addLayer(name: string, { features, geometry, fields }: LayerFacts): void {
    const known = this.#layers.get(name);
    if (known === undefined) this.#layers.set(name, { features, geometry, fields: { ...fields } });
    else {
      known.features += features;
      // A column that is a number here and a text there is told as a text.
      for (const [key, type] of Object.entries(fields)) {
        if (known.fields[key] !== 'String') known.fields[key] = type;
      }
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
