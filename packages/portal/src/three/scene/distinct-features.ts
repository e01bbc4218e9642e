/** Features of tiles by their gml:id. */
import type { PropertySource } from '../colouring.ts';

const ID_NAMES = ['gml_id', 'gml:id', '_gml_id', 'gmlID', 'id'];

/** What a tile has of features. */
export interface FeatureHolder {
  readonly featuresLength: number;
  getFeature(index: number): PropertySource;
}

/** gml:id of a feature, under the names that converters give it. */
export function idOf(source: PropertySource): string | null {
  for (const name of ID_NAMES) {
    const value = source.getProperty(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/**
 * Features of tiles, `most` at most. A tile of a coarser level may hold what finer ones hold again: features of one
 * gml:id count once. Those without one all count.
 */
export function distinctFeatures<C extends FeatureHolder>(
  contents: Iterable<C>,
  most: number,
): Array<[content: C, index: number]> {
  const features: Array<[content: C, index: number]> = [];
  const ids = new Set<string>();
  for (const content of contents) {
    for (let i = 0; i < content.featuresLength && features.length < most; i++) {
      const id = idOf(content.getFeature(i));
      if (id !== null) {
        if (ids.has(id)) continue;
        ids.add(id);
      }
      features.push([content, i]);
    }
  }
  return features;
}
