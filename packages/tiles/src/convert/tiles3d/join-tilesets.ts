/**
 * The tileset of a package over the tilesets of its GML files: a tile for each second mesh, below it one for each file.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { REVISION_NAME, type Region, unionRegions } from '@citymodel/geo';
import type { Tile, Tileset } from '../../tileset.ts';
import type { ConvertIssue, JoinContext } from '../part-maker.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import { NO_SINK } from './drawn-bodies.ts';
import { overviewContent, planOverview, readOverview } from './overview.ts';
import type { PackedFile } from './packed-file.ts';
import type { NumberRange } from './property-ranges.ts';
import { PropertyRanges } from './property-ranges.ts';
import { boxOf, diagonalOf } from './tree/region.ts';
import { type WrittenTree, writeTree } from './write-tree.ts';

/** What a part tells of one of its outputs. */
export interface PartData {
  /** Folder of its files in the directory of the part. */
  folder: string;
  /** Files in it that packages have; none when the overview has everything. */
  files: PackedFile[];
  /** Around its tree; null when the overview has everything. */
  region: Region | null;
  /** What is wrong when nothing of its tree is drawn, metres. */
  geometricError: number;
  refine: 'ADD' | 'REPLACE';
  hasOverview: boolean;
  ranges: Record<string, NumberRange>;
  /** True when EGM96 gave heights that the grid of the geoid does not have. */
  isOutsideGeoid: boolean;
  /** True when heights were brought from JGD2024 to JGD2011, or back. */
  isRevised: boolean;
  /** Datums of Japan of elevations that are left as they are. */
  elevations: ReadonlyArray<'jgd2011' | 'jgd2024'>;
}

/** A file of the package. */
export interface PackageMember {
  /** Its files on the disk. */
  directory: string;
  /** Folder in the package. */
  folder: string;
  /** Mesh code of the file; null when it has none. */
  mesh: string | null;
  data: PartData;
}

/** A file that is written for all members together. */
export interface OverviewFile {
  /** Folder in the package. */
  folder: string;
  /** On the disk. */
  directory: string;
  file: PackedFile;
}

/** The least error of a whole package, metres: it shows from 100 km. */
const LEAST_ERROR = 1_000;
/** The region of a package of which nothing can be drawn: a point. */
const NOWHERE: Region = [0, 0, 0, 0, 0, 0];
/** Digits of a second mesh, of some 10 km. */
const SECOND_MESH = 6;

/** What joining needs of its context. */
type JoinWork = Pick<JoinContext, 'name' | 'options' | 'heights' | 'scratch' | 'signal' | 'issue'>;

/** Members are in the order of their paths, and there is one at least. Overviews are written into `context.scratch`. */
export async function packageTileset(
  members: readonly PackageMember[],
  context: JoinWork,
): Promise<{ tileset: Tileset; files: OverviewFile[] }> {
  const { options, heights } = context;
  const groups = new Map<string, PackageMember[]>();
  for (const member of members) {
    // Files of a lower level of detail add to what is above them, those with textures replace it.
    const key = `${member.mesh?.slice(0, SECOND_MESH) ?? 'other'}_${member.data.refine.toLowerCase()}`;
    groups.set(key, [...(groups.get(key) ?? []), member]);
  }
  const ranges = new PropertyRanges();
  for (const { data } of members) ranges.merge(data.ranges);
  const files: OverviewFile[] = [];
  const children: Tile[] = [];
  for (const [key, group] of groups) {
    const overview = await writeGroupOverview(key, group, context);
    files.push(...overview.files);
    const tile = groupTile(group, overview.root);
    if (tile !== null) children.push(tile);
  }
  const region = children.length === 0 ? NOWHERE : around(children);
  const root: Tile = {
    boundingVolume: { region },
    // Without it nothing is seen of what is as large as the package, such as a river, from where the whole of it is.
    geometricError: Math.max(
      LEAST_ERROR,
      2 * diagonalOf(boxOf(region)),
      ...children.map((child) => child.geometricError),
    ),
    refine: 'ADD',
    ...(children.length === 0 ? {} : { children }),
  };
  if (children.length === 0) context.issue(nothingDrawn(context.name));
  const used = [
    heights.name,
    ...(members.some(({ data }) => data.isOutsideGeoid) ? ['EGM96 outside of it'] : []),
    ...elevationsOf(members),
    ...(members.some(({ data }) => data.isRevised) ? [`heights revised by ${REVISION_NAME}`] : []),
  ].join(', ');
  const tileset = {
    asset: { version: options.tiles, extras: { heights: used, generator: 'citymodel' } },
    properties: Object.fromEntries(
      Object.entries(ranges.toJSON()).map(([name, [minimum, maximum]]) => [name, { minimum, maximum }]),
    ),
    geometricError: root.geometricError,
    root,
  };
  return { tileset, files };
}

/** What elevations are of, where some are of the later datum of Japan: tiles of both do not fit together. */
function elevationsOf(members: readonly PackageMember[]): string[] {
  const found = new Set(members.flatMap(({ data }) => data.elevations));
  if (!found.has('jgd2024')) return [];
  return [found.size === 1 ? 'of JGD2024' : 'some of JGD2011 and some of JGD2024'];
}

function nothingDrawn(name: string): ConvertIssue {
  return {
    code: 'PACKAGE_EMPTY',
    severity: 'warning',
    file: name,
    id: null,
    count: 1,
    message: 'Nothing of the package of tiles can be drawn.',
    remedy: 'It has no tiles. Correct the geometry of its features.',
  };
}

/**
 * The tiles of what the members have in common; none where there is nothing of it, or only one member, which shows it
 * itself.
 */
async function writeGroupOverview(
  key: string,
  members: readonly PackageMember[],
  { name, options, scratch, signal, issue }: JoinWork,
): Promise<{ root: Tile | null; files: OverviewFile[] }> {
  const { refine } = members[0]!.data;
  if (refine === 'REPLACE' && members.length === 1) return { root: null, files: [] };
  const features = members
    .filter(({ data }) => data.hasOverview)
    .flatMap(({ directory }) => readOverview(directory));
  if (features.length === 0) return { root: null, files: [] };
  const directory = mkdtempSync(join(scratch, 'overview-'));
  // Parts have told what is wrong with their features, and their ranges.
  const issues = new IssueCounter(name, (entry) => {
    if (entry.code === 'TILE_UNCOMPRESSED') issue(entry);
  });
  const { root, files }: WrittenTree = await writeTree(planOverview(features, refine), {
    directory,
    refine,
    version: options.tiles,
    glb: options,
    signal,
    issues,
    drawn: NO_SINK,
    ranges: new PropertyRanges(),
    rows: null,
    content: async (node) => overviewContent(node),
  });
  issues.tell();
  const folder = `overview/${key}`;
  return {
    root: root === null ? null : inFolder(root, folder),
    files: files.map((file) => ({ folder, directory, file })),
  };
}

/** The tile of a group over those of its members; null where nothing of them can be drawn. */
function groupTile(members: readonly PackageMember[], overview: Tile | null): Tile | null {
  const own = members.flatMap(({ folder, data }): Tile[] =>
    data.region === null
      ? []
      : [
          {
            boundingVolume: { region: data.region },
            geometricError: data.geometricError,
            content: { uri: `${folder}/tileset.json` },
          },
        ],
  );
  if (overview === null && own.length === 1) return own[0]!;
  const children = [...(overview?.children ?? []), ...own];
  const all = overview === null ? own : [overview, ...own];
  if (all.length === 0) return null;
  const { content } = overview ?? {};
  return {
    boundingVolume: { region: around(all) },
    geometricError: Math.max(...all.map((tile) => tile.geometricError)),
    ...(overview === null ? {} : { refine: members[0]!.data.refine }),
    ...(content === undefined
      ? {}
      : { content: { ...content, boundingVolume: content.boundingVolume ?? overview!.boundingVolume } }),
    ...(children.length === 0 ? {} : { children }),
  };
}

/** Contents are found from the package's root. */
function inFolder(tile: Tile, folder: string): Tile {
  const { content, children } = tile;
  return {
    ...tile,
    ...(content === undefined ? {} : { content: { ...content, uri: `${folder}/${content.uri}` } }),
    ...(children === undefined ? {} : { children: children.map((child) => inFolder(child, folder)) }),
  };
}

function around(tiles: readonly Tile[]): Region {
  return tiles.map((tile) => (tile.boundingVolume as { region: Region }).region).reduce(unionRegions);
}
