/** Areas of the code, each with the mutants of its own that every change must kill. */

export interface Area {
  name: string;
  /** Beginnings of paths. */
  prefixes: string[];
  /** Mutants that `.ci/run` tries. */
  sample: number;
}

export const AREAS: readonly Area[] = [
  { name: 'geo', prefixes: ['src/geo'], sample: 3 },
  { name: 'zip', prefixes: ['src/zip'], sample: 4 },
  { name: 'citygml', prefixes: ['src/citygml'], sample: 5 },
  { name: 'tiles', prefixes: ['src/tiles'], sample: 4 },
  { name: 'convert', prefixes: ['src/convert'], sample: 8 },
  { name: 'store', prefixes: ['src/store'], sample: 6 },
  { name: 'catalogue', prefixes: ['src/catalogue'], sample: 5 },
  { name: 'features', prefixes: ['src/features'], sample: 4 },
  { name: 'pack', prefixes: ['src/pack'], sample: 3 },
  { name: 'graphql', prefixes: ['src/graphql'], sample: 4 },
  { name: 'ingest', prefixes: ['src/ingest'], sample: 4 },
  { name: 'jobs', prefixes: ['src/jobs', 'src/service'], sample: 4 },
  { name: 'http', prefixes: ['src/http', 'src/mcp'], sample: 6 },
  {
    name: 'portal logic',
    prefixes: [
      'portal/src/basket',
      'portal/src/core',
      'portal/src/datasets',
      'portal/src/map',
      'portal/src/three',
    ],
    sample: 6,
  },
];
