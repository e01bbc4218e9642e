/** Colours of the map in both themes: one hue, from little to much. */
import type { Theme } from '../core/state.ts';

export interface Palette {
  ground: string;
  grid: string;
  gridText: string;
  text: string;
  halo: string;
  /** From little to much, five steps. */
  ramp: readonly [string, string, string, string, string];
  pick: string;
  area: string;
  layers: readonly string[];
}

export const PALETTES: Record<Theme, Palette> = {
  light: {
    ground: '#eef2f2',
    grid: '#d3dcdd',
    gridText: '#66777d',
    text: '#16242b',
    halo: '#f8fafa',
    ramp: ['#c6d8dc', '#96bfca', '#5f9fb1', '#2c7891', '#0d4f67'],
    pick: '#0b5c78',
    area: '#0b5c78',
    layers: ['#8a6d3b', '#5b6fa8', '#7a8f3c', '#9c5a6e', '#3f8f86', '#6f5aa0'],
  },
  dark: {
    ground: '#10171b',
    grid: '#223038',
    gridText: '#8497a0',
    text: '#e3ebee',
    halo: '#10171b',
    ramp: ['#243c46', '#2d5a6a', '#3b8096', '#5fabc1', '#a3d9e6'],
    pick: '#8fd0e2',
    area: '#8fd0e2',
    layers: ['#d0ae72', '#93a6dd', '#b3c873', '#d790a5', '#7ccbc1', '#ab97dc'],
  },
};
