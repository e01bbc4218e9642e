import coastUrl from 'virtual:coast';
import { fetchTable, once } from '../core/data.ts';
import { type Coasts, Shores } from './shores.ts';

/** The fine coasts of all islands. */
export const loadShores = once(
  async () => new Shores(await fetchTable<Coasts>(new URL(coastUrl, location.href).href)),
);
