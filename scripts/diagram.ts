/** The diagram of the README as SVG: from an upload to the answers. */

interface Colours {
  ink: string;
  quiet: string;
  line: string;
  fill: string;
  accent: string;
}

const COLOURS: Record<'light' | 'dark', Colours> = {
  light: { ink: '#1c2733', quiet: '#53616f', line: '#9fb0bf', fill: '#f3f7fa', accent: '#dcebf5' },
  dark: { ink: '#e6edf3', quiet: '#9aa8b5', line: '#566676', fill: '#17212b', accent: '#1f3a50' },
};

interface Box {
  x: number;
  y: number;
  width: number;
  title: string;
  lines: readonly string[];
  accent?: boolean;
}

const BOXES: readonly Box[] = [
  { x: 10, y: 100, width: 170, title: 'Packages', lines: ['CityGML zips', '3D Tiles, MVT, PMTiles'] },
  {
    x: 230,
    y: 100,
    width: 170,
    title: 'Ingest',
    lines: ['reads every byte once', 'checks and indexes'],
  },
  {
    x: 450,
    y: 30,
    width: 200,
    title: 'Archive',
    lines: ['the zip, never unpacked', 'every member by range'],
    accent: true,
  },
  {
    x: 450,
    y: 120,
    width: 200,
    title: 'Index',
    lines: ['members, blocks, features', 'R-tree of each GML file'],
  },
  { x: 450, y: 210, width: 200, title: 'Catalogue', lines: ['rows in a database', 'snapshot in memory'] },
  {
    x: 710,
    y: 30,
    width: 220,
    title: 'Files and packs',
    lines: ['assets, city zips', 'any selection as one zip'],
  },
  {
    x: 710,
    y: 120,
    width: 220,
    title: 'Features',
    lines: ['attributes and geometry', 'by gml:id, place, spatial ID'],
  },
  {
    x: 710,
    y: 210,
    width: 220,
    title: 'Catalogue and search',
    lines: ['REST, GraphQL, composites', 'files by mesh, box, name'],
  },
];

const HEIGHT = 74;
const ARROWS: ReadonlyArray<[from: number, to: number]> = [
  [0, 1],
  [1, 2],
  [1, 3],
  [1, 4],
  [2, 5],
  [2, 6],
  [3, 5],
  [3, 6],
  [4, 7],
];

/** The picture on a light or on a dark page; its background is the page's. */
export function diagram(theme: 'light' | 'dark'): string {
  const colours = COLOURS[theme];
  const boxes = BOXES.map((box) => drawBox(box, colours));
  const arrows = ARROWS.map(([from, to]) => drawArrow(BOXES[from]!, BOXES[to]!, colours));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 314" width="940" height="314" role="img" \
aria-label="Packages are ingested into archives, indexes and a catalogue; every answer is read from them by \
ranges." font-family="system-ui, sans-serif">
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path d="M0 0 8 4 0 8z" fill="${colours.line}"/></marker></defs>
${[...arrows, ...boxes].join('\n')}
</svg>
`;
}

function drawBox({ x, y, width, title, lines, accent }: Box, colours: Colours): string {
  const fill = accent === true ? colours.accent : colours.fill;
  const text = lines.map(
    (line, at) =>
      `<text x="${x + 14}" y="${y + 44 + at * 17}" font-size="13" fill="${colours.quiet}">${line}</text>`,
  );
  return `<rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" rx="8" fill="${fill}" stroke="${colours.line}"/>
<text x="${x + 14}" y="${y + 24}" font-size="15" font-weight="600" fill="${colours.ink}">${title}</text>
${text.join('\n')}`;
}

/** From the right side of one box to the left side of another. */
function drawArrow(from: Box, to: Box, colours: Colours): string {
  const [x1, y1] = [from.x + from.width, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x - 3, to.y + HEIGHT / 2];
  const bend = (x2 - x1) / 2;
  return (
    `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="` +
    `${colours.line}" stroke-width="1.5" marker-end="url(#head)"/>`
  );
}
