/** Colours of a scene by the property of the address, in the portal and in frames alike. */
import { useEffect, useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { usePart } from '../core/store.ts';
import { NAMED, type PropertySource, propertiesFor, type Scale, scaleFor } from './colouring.ts';
import { interfaceName, readerOf } from './filter.ts';
import type { TileScene } from './tile-scene.ts';

export interface ShownColours {
  scale: Scale;
  /** What the interface calls the property; '' when it cannot be told. */
  name: string;
}

/**
 * Paints the scene, anew as tiles come.
 *
 * @param names properties that loaded features have
 * @param rowOfTile the dataset that a tile is of
 * @returns what the colours stand for; null without colours, and before the first features
 */
export function useColouring(
  scene: TileScene | null,
  names: ReadonlySet<string>,
  rowOfTile: (url: string) => DatasetRow | undefined,
): ShownColours | null {
  const colour = usePart((s) => s.colour);
  const [shown, setShown] = useState<ShownColours | null>(null);
  useEffect(() => {
    if (scene === null) return;
    // Before the first features nothing can be said of their values.
    if (colour === '' || names.size === 0) {
      setShown(null);
      scene.setColouring(null);
      return;
    }
    const properties = propertiesFor(colour, names);
    const read = readerOf(properties);
    const property = (source: PropertySource, tile: string): unknown =>
      // Tiles need not say their LOD; then the dataset says it.
      read(source) ?? (colour === NAMED.lod ? rowOfTile(tile)?.lod : undefined);
    const name = colour === NAMED.lod ? '' : interfaceName(properties);
    const scale = scaleFor(colour, name, scene.values(property));
    setShown({ scale, name });
    scene.setColouring({ property, scale });
  }, [scene, names, colour, rowOfTile]);
  return shown;
}
