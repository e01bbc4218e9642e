/** Colours of the map in both themes. */
import type { Colouring, Theme } from '../core/state.ts';

type Five = readonly [string, string, string, string, string];

export interface Palette {
  sea: string;
  land: string;
  coast: string;
  grid: string;
  gridText: string;
  text: string;
  quietText: string;
  halo: string;
  /** By highest LOD: nothing in 3D, LOD 1 to 4. */
  lods: Five;
  /** From little to much, five steps. */
  ramp: Five;
  pick: string;
  area: string;
  /** What became of features between two editions. */
  became: Readonly<Record<'new' | 'gone' | 'higher' | 'lower' | 'changed', string>>;
  layers: readonly string[];
  /** The hosted data as a map. */
  base: {
    luse: string;
    /** Land by its use, or by what it is planned for. */
    zones: Readonly<Record<'homes' | 'shops' | 'works' | 'fields' | 'green' | 'ways', string>>;
    water: string;
    waterText: string;
    rail: string;
    railBed: string;
    ferry: string;
    road: string;
    roadEdge: string;
    building: string;
    buildingEdge: string;
  };
}

export const PALETTES: Record<Theme, Palette> = {
  light: {
    sea: '#dbe8ee',
    land: '#fbfaf6',
    coast: '#b9ccd5',
    grid: '#cfd8d8',
    gridText: '#66777d',
    text: '#16242b',
    quietText: '#5d6d73',
    halo: '#fdfcf9',
    lods: ['#a9b4b6', '#86b2de', '#2c7891', '#e0922f', '#9a4f9e'],
    ramp: ['#c6d8dc', '#96bfca', '#5f9fb1', '#2c7891', '#0d4f67'],
    pick: '#c2185b',
    area: '#0b5c78',
    became: { new: '#1b7fc4', gone: '#b8352a', higher: '#e08a1e', lower: '#7a4fa3', changed: '#6b8f2f' },
    layers: ['#8a6d3b', '#5b6fa8', '#7a8f3c', '#9c5a6e', '#3f8f86', '#6f5aa0'],
    base: {
      luse: '#eeeee2',
      zones: {
        homes: '#f3efe2',
        shops: '#f6e4dc',
        works: '#e6e3ee',
        fields: '#ecf0d4',
        green: '#dbe9cd',
        ways: '#f5f3ee',
      },
      water: '#c3dbe6',
      waterText: '#2f6f8a',
      rail: '#7d8084',
      railBed: '#d9d8d6',
      ferry: '#8fb4c6',
      road: '#ffffff',
      roadEdge: '#dcd8cd',
      building: '#e2dcd0',
      buildingEdge: '#cbc3b3',
    },
  },
  dark: {
    sea: '#0e161b',
    land: '#1b252a',
    coast: '#35464f',
    grid: '#2b3940',
    gridText: '#b2c2c9',
    text: '#e3ebee',
    quietText: '#b6c5cc',
    halo: '#141d22',
    lods: ['#5d6b71', '#6c9fd6', '#4fb0c9', '#f0a94e', '#cb8fd4'],
    ramp: ['#243c46', '#2d5a6a', '#3b8096', '#5fabc1', '#a3d9e6'],
    pick: '#ff7aa8',
    area: '#8fd0e2',
    became: { new: '#5fb4ee', gone: '#f0806f', higher: '#f5b358', lower: '#b797de', changed: '#a9cc66' },
    layers: ['#d0ae72', '#93a6dd', '#b3c873', '#d790a5', '#7ccbc1', '#ab97dc'],
    base: {
      luse: '#20292a',
      zones: {
        homes: '#23292a',
        shops: '#2f2827',
        works: '#27272f',
        fields: '#252c20',
        green: '#1e2f23',
        ways: '#262d31',
      },
      water: '#14303c',
      waterText: '#7fb4cc',
      rail: '#7c8990',
      railBed: '#333b40',
      ferry: '#2f5567',
      road: '#37434a',
      roadEdge: '#2a353b',
      building: '#2d3739',
      buildingEdge: '#414d50',
    },
  },
};

/** The five colours of what is coloured. */
export function classColours({ lods, ramp }: Palette, by: Colouring): Five {
  return by === 'lod' ? lods : ramp;
}

/**
 * The colour that is seen where one lies over another, `#rrggbb`; `opacity` from 0 to 1. A legend whose swatches are
 * painted with it shows what the map shows.
 */
export function over(front: string, opacity: number, back: string): string {
  const parts = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const [below, above] = [parts(back), parts(front)];
  return `#${above
    .map((value, i) =>
      Math.round(value * opacity + below[i]! * (1 - opacity))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
