/** Areas of the code, each with the mutants of its own that every change must kill. */

export interface Area {
  name: string;
  /** Beginnings of paths. */
  prefixes: string[];
  /** Mutants that `.ci/run` tries. */
  sample: number;
}

export const AREAS: readonly Area[] = [
  { name: 'geo', prefixes: ['packages/geo/src'], sample: 2 },
  { name: 'zip', prefixes: ['packages/zip/src'], sample: 2 },
  { name: 'citygml', prefixes: ['packages/citygml/src'], sample: 2 },
  { name: 'tiles', prefixes: ['packages/tiles/src'], sample: 2 },
  { name: 'convert', prefixes: ['packages/tiles/src/convert'], sample: 2 },
  { name: 'store', prefixes: ['packages/store/src'], sample: 1 },
  { name: 'catalogue', prefixes: ['packages/server/src/catalogue'], sample: 2 },
  { name: 'features', prefixes: ['packages/server/src/features'], sample: 2 },
  { name: 'pack', prefixes: ['packages/server/src/pack'], sample: 2 },
  { name: 'graphql', prefixes: ['packages/server/src/graphql'], sample: 2 },
  { name: 'ingest', prefixes: ['packages/server/src/ingest'], sample: 2 },
  { name: 'jobs', prefixes: ['packages/server/src/jobs', 'packages/server/src/service'], sample: 2 },
  { name: 'http', prefixes: ['packages/server/src/http', 'packages/server/src/mcp'], sample: 2 },
  { name: 'ogc', prefixes: ['packages/server/src/ogc'], sample: 2 },
  { name: 'tables', prefixes: ['packages/server/src/tables'], sample: 1 },
  { name: 'changes', prefixes: ['packages/server/src/changes'], sample: 1 },
  { name: 'quality', prefixes: ['packages/server/src/quality'], sample: 1 },
  { name: 'inspect', prefixes: ['packages/inspect/src'], sample: 1 },
  {
    name: 'portal logic',
    prefixes: [
      'packages/portal/src/basket',
      'packages/portal/src/core',
      'packages/portal/src/datasets',
      'packages/portal/src/map',
      'packages/portal/src/three',
    ],
    sample: 2,
  },
];
