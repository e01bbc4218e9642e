/** Areas of the code, each with the mutants of its own that every change must kill. */

export interface Area {
  name: string;
  /** Beginnings of paths. */
  prefixes: string[];
  /** Mutants that `.ci/run` tries. */
  sample: number;
}

export const AREAS: readonly Area[] = [
  { name: 'geo', prefixes: ['src/geo'], sample: 2 },
  { name: 'zip', prefixes: ['src/zip'], sample: 3 },
  { name: 'citygml', prefixes: ['src/citygml'], sample: 3 },
  { name: 'tiles', prefixes: ['src/tiles'], sample: 3 },
  { name: 'convert', prefixes: ['src/convert'], sample: 5 },
  { name: 'store', prefixes: ['src/store'], sample: 1 },
  { name: 'catalogue', prefixes: ['src/catalogue'], sample: 4 },
  { name: 'features', prefixes: ['src/features'], sample: 3 },
  { name: 'pack', prefixes: ['src/pack'], sample: 3 },
  { name: 'graphql', prefixes: ['src/graphql'], sample: 3 },
  { name: 'ingest', prefixes: ['src/ingest'], sample: 3 },
  { name: 'jobs', prefixes: ['src/jobs', 'src/service'], sample: 4 },
  { name: 'http', prefixes: ['src/http', 'src/mcp'], sample: 4 },
  {
    name: 'portal logic',
    prefixes: [
      'portal/src/basket',
      'portal/src/core',
      'portal/src/datasets',
      'portal/src/map',
      'portal/src/three',
    ],
    sample: 5,
  },
];
