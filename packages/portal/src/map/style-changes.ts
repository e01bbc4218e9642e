/**
 * What differs between two styles of the map, so that another colour does not have MapLibre compare all data that a
 * style holds.
 */
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';

export interface StyleChange {
  layer: string;
  kind: 'paint' | 'layout';
  name: string;
  /** Undefined: as MapLibre has it by default. */
  value: unknown;
}

/** The properties that make `before` look as `after`; null when sources, layers or more than properties differ. */
export function changesOf(before: StyleSpecification, after: StyleSpecification): StyleChange[] | null {
  if (!isSameSources(before, after) || before.layers.length !== after.layers.length) return null;
  const changes: StyleChange[] = [];
  for (const [i, layer] of after.layers.entries()) {
    const old = before.layers[i]!;
    if (JSON.stringify(bare(old)) !== JSON.stringify(bare(layer))) return null;
    for (const kind of ['paint', 'layout'] as const) {
      const [was, is] = [old, layer].map((side) => (side[kind] ?? {}) as Record<string, unknown>);
      for (const name of new Set([...Object.keys(was!), ...Object.keys(is!)])) {
        if (JSON.stringify(was![name]) !== JSON.stringify(is![name])) {
          changes.push({ layer: layer.id, kind, name, value: is![name] });
        }
      }
    }
  }
  return changes;
}

/** All but what it looks like. */
function bare(layer: LayerSpecification): object {
  return { ...layer, paint: null, layout: null };
}

/** GeoJSON is compared by identity: it may be large, and it is never changed in place. */
function isSameSources(before: StyleSpecification, after: StyleSpecification): boolean {
  const [was, is] = [before, after].map(({ sources }) => Object.entries(sources));
  return (
    was!.length === is!.length &&
    is!.every(([name, source], i) => {
      const [oldName, old] = was![i]!;
      if (oldName !== name) return false;
      if (source.type !== 'geojson' || old.type !== 'geojson') {
        return JSON.stringify(old) === JSON.stringify(source);
      }
      return old.data === source.data;
    })
  );
}
