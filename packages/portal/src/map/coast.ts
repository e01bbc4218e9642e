/** Finer coasts and lakes of Japan, which take the place of coarser land where people look closely. */
import coastUrl from 'virtual:coast';
import type { FeatureCollection } from 'geojson';
import { fetchTable } from '../core/data.ts';
import { type Coasts, coastLand } from './coast-land.ts';

/** Fetches the coasts of all islands. */
export async function loadCoast(): Promise<FeatureCollection> {
  return coastLand(await fetchTable<Coasts>(new URL(coastUrl, location.href).href));
}
