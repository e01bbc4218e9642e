import type { LayerSpecification } from 'maplibre-gl';
import type { Palette } from './palette.ts';

/** What became of features between two editions: areas, and circles from afar and for what has no area. */
export function changeLayers({ became, halo }: Palette): LayerSpecification[] {
  const pairs = Object.entries(became).flat();
  const colour = ['match', ['get', 'became'], ...pairs, halo] as never;
  return [
    {
      id: 'change-fill',
      type: 'fill',
      source: 'changes',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': colour, 'fill-opacity': 0.75 },
    },
    {
      id: 'change-line',
      type: 'line',
      source: 'changes',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'line-color': colour, 'line-width': ['interpolate', ['linear'], ['zoom'], 12, 3, 16, 1.5] },
    },
    {
      id: 'change-point',
      type: 'circle',
      source: 'changes',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': colour,
        'circle-radius': 5,
        'circle-stroke-color': halo,
        'circle-stroke-width': 1,
      },
    },
  ];
}
