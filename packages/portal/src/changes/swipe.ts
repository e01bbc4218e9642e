/** The older edition over the map of the newer one, up to a border that a slider moves. */
import type { FeatureCollection } from 'geojson';
import type { BaseLayer } from '../map/base-layers.ts';
import type { CityMap } from '../map/city-map.ts';

export interface Older {
  /** Vector tiles of its year, drawn as a map. */
  base: BaseLayer[];
  changes: FeatureCollection;
}

export interface SwipeWords {
  /** What the slider is called. */
  handle: string;
  from: string;
  to: string;
}

/** Per cent of the width that the older edition takes at first. */
const MIDDLE = 50;

/** Lays the older edition over the map; returns what takes it away. */
export function swipe(map: CityMap, { base, changes }: Older, words: SwipeWords): () => void {
  const place = map.gl.getContainer().parentElement!;
  const layer = element('div', 'swipe-map');
  // What it shows is told by the list; its canvas is a picture of half of the map.
  layer.setAttribute('aria-hidden', 'true');
  const bar = element('div', 'swipe-bar');
  const slider = element('input', 'swipe-slider') as HTMLInputElement;
  Object.assign(slider, { type: 'range', min: '0', max: '100', step: '0.5', value: String(MIDDLE) });
  slider.setAttribute('aria-label', words.handle);
  const names = [words.from, words.to].map((text, i) => {
    const name = element('span', i === 0 ? 'swipe-year from' : 'swipe-year to');
    name.textContent = text;
    return name;
  });
  place.append(layer, bar, slider, ...names);
  // MapLibre gives its container a position of its own.
  const container = element('div', 'swipe-canvas');
  layer.append(container);
  const twin = map.twin(container, { base, changes });
  const follow = () => twin.jumpTo({ center: map.gl.getCenter(), zoom: map.gl.getZoom() });
  const resize = () => twin.resize();
  const cut = () => {
    layer.style.clipPath = `inset(0 ${100 - Number(slider.value)}% 0 0)`;
    bar.style.left = `${slider.value}%`;
    slider.setAttribute('aria-valuetext', `${words.from} ${Math.round(Number(slider.value))} %`);
  };
  map.gl.on('move', follow);
  map.gl.on('resize', resize);
  slider.addEventListener('input', cut);
  cut();
  return () => {
    map.gl.off('move', follow);
    map.gl.off('resize', resize);
    twin.remove();
    for (const part of [layer, bar, slider, ...names]) part.remove();
  };
}

function element(name: string, className: string): HTMLElement {
  const part = document.createElement(name);
  part.className = className;
  return part;
}
