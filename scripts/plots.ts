/**
 * Makes the plots of docs/performance.md as SVG, light and dark, from `bench/results/sizes.json`. With `--check` it only says whether
 * they are up to date, and exits with 1 when they are not.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Series {
  name: string;
  colour: 'ours' | 'other';
  points: ReadonlyArray<readonly [x: number, y: number]>;
}

interface Plot {
  file: string;
  title: string;
  x: string;
  y: string;
  series: readonly Series[];
}

interface Sizes {
  date: string;
  ingestion: Array<{ megabytes: number; seconds: number; toolsSeconds: number; peakMb: number }>;
  catalogue: Array<{ packages: number; requests: number; bareRequests: number; peakMb: number }>;
}

const ROOT = join(import.meta.dirname, '..');
const PICTURES = join(ROOT, 'docs/pictures');
const COLOURS = {
  light: { ink: '#1c2733', quiet: '#53616f', grid: '#d9e1e8', ours: '#0b6e99', other: '#a3672b' },
  dark: { ink: '#e6edf3', quiet: '#9aa8b5', grid: '#2f3b47', ours: '#5ab8e0', other: '#dca06a' },
};
const [WIDTH, HEIGHT] = [460, 300];
const AREA = { left: 64, right: 16, top: 44, bottom: 46 };

const sizes = JSON.parse(readFileSync(join(ROOT, 'bench/results/sizes.json'), 'utf8')) as Sizes;
const plots: readonly Plot[] = [
  {
    file: 'ingestion-time',
    title: 'Time to ingest one GML file',
    x: 'GML, MB',
    y: 'seconds',
    series: [
      {
        name: 'citymodel ingest',
        colour: 'ours',
        points: sizes.ingestion.map((row) => [row.megabytes, row.seconds]),
      },
      {
        name: 'unzip | gzip -6',
        colour: 'other',
        points: sizes.ingestion.map((row) => [row.megabytes, row.toolsSeconds]),
      },
    ],
  },
  {
    file: 'catalogue-requests',
    title: 'Datasets of one city, 16 connections',
    x: 'packages in the catalogue',
    y: 'requests a second',
    series: [
      {
        name: 'citymodel serve',
        colour: 'ours',
        points: sizes.catalogue.map((row) => [row.packages, row.requests]),
      },
      {
        name: 'bare Node.js, same bytes',
        colour: 'other',
        points: sizes.catalogue.map((row) => [row.packages, row.bareRequests]),
      },
    ],
  },
  {
    file: 'ingestion-memory',
    title: 'Highest memory of ingestion',
    x: 'GML, MB',
    y: 'MB',
    series: [
      {
        name: 'citymodel ingest',
        colour: 'ours',
        points: sizes.ingestion.map((row) => [row.megabytes, row.peakMb]),
      },
    ],
  },
];

let stale = false;
for (const plot of plots) {
  for (const theme of ['light', 'dark'] as const) {
    const file = join(PICTURES, `${plot.file}-${theme}.svg`);
    const svg = draw(plot, COLOURS[theme]);
    if (!process.argv.includes('--check')) writeFileSync(file, svg);
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== svg) {
      console.error(`${file} is not up to date: run node scripts/plots.ts`);
      stale = true;
    }
  }
}
if (stale) process.exit(1);

/** Both axes are logarithmic: sizes go over three orders of magnitude, and growth by the same factor is a straight line. */
function draw({ title, x, y, series }: Plot, colours: (typeof COLOURS)['light']): string {
  const points = series.flatMap((each) => each.points);
  const across = scale(
    points.map(([value]) => value),
    AREA.left,
    WIDTH - AREA.right,
  );
  const up = scale(
    points.map(([, value]) => value),
    HEIGHT - AREA.bottom,
    AREA.top,
  );
  const lines = [
    ...across.ticks.map(
      (tick) =>
        `<path d="M${across.at(tick)} ${AREA.top}V${HEIGHT - AREA.bottom}" stroke="${colours.grid}"/><text x="${across.at(tick)}" y="${HEIGHT - AREA.bottom + 16}" text-anchor="middle">${label(tick)}</text>`,
    ),
    ...up.ticks.map(
      (tick) =>
        `<path d="M${AREA.left} ${up.at(tick)}H${WIDTH - AREA.right}" stroke="${colours.grid}"/><text x="${AREA.left - 6}" y="${up.at(tick) + 4}" text-anchor="end">${label(tick)}</text>`,
    ),
    ...series.map(({ colour, points: own }) => {
      const places = own.map(([a, b]) => `${across.at(a)},${up.at(b)}`);
      const dots = own.map(([a, b]) => `<circle cx="${across.at(a)}" cy="${up.at(b)}" r="3"/>`);
      return `<g fill="${colours[colour]}"><polyline points="${places.join(' ')}" fill="none" stroke="${colours[colour]}" stroke-width="2"/>${dots.join('')}</g>`;
    }),
    ...series.map(
      ({ name, colour }, index) =>
        `<text x="${AREA.left + 8}" y="${AREA.top + 16 + index * 16}" fill="${colours[colour]}" font-weight="600">${name}</text>`,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12" fill="${colours.quiet}">
<text x="${AREA.left}" y="24" font-size="15" font-weight="600" fill="${colours.ink}">${title}</text>
${lines.join('\n')}
<text x="${(AREA.left + WIDTH - AREA.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${x}</text>
<text transform="translate(14 ${(AREA.top + HEIGHT - AREA.bottom) / 2}) rotate(-90)" text-anchor="middle">${y}</text>
</svg>
`;
}

interface Scale {
  at(value: number): number;
  ticks: number[];
}

/** A logarithmic scale from one place to another, with a tick at 1, 2 and 5 of each power of ten that lies inside. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.min(...values) / 1.3, Math.max(...values) * 1.3];
  const at = (value: number) =>
    Math.round((from + ((to - from) * Math.log(value / low)) / Math.log(high / low)) * 10) / 10;
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const digit of [1, 2, 5]) {
      const tick = digit * 10 ** power;
      if (tick >= low && tick <= high) ticks.push(Number(tick.toPrecision(1)));
    }
  }
  return { at, ticks };
}

function label(value: number): string {
  return value >= 1_000 ? value.toLocaleString('en-US') : String(value);
}
