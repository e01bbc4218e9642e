import { signal } from '../core/signal.ts';
import type { CityMap } from './city-map.ts';

/** The map itself, once it is there. */
export const cityMap = signal<CityMap | null>(null);
