/** The tileset of a package over the tilesets of its GML files: a tile for each second mesh, below it one for each file. */
import { type Region, unionRegions } from '../../geo/bounding-volume.ts';
import type { Tile, Tileset } from '../../tiles/tileset.ts';
import type { JoinContext } from '../part-maker.ts';
import type { NumberRange } from './property-ranges.ts';
import { PropertyRanges } from './property-ranges.ts';

/** What a part tells of one of its outputs. */
export interface PartData {
  /** Folder of its files in the directory of the part. */
  folder: string;
  /** Files in it besides `tileset.json`. */
  files: string[];
  region: Region;
  geometricError: number;
  ranges: Record<string, NumberRange>;
}

/** A file of the package. */
export interface PackageMember {
  /** Folder in the package. */
  folder: string;
  /** Mesh code of the file; null when it has none. */
  mesh: string | null;
  data: PartData;
}

/** The least error of a whole package, metres: it shows from 100 km. */
const LEAST_ERROR = 1_000;
/** Digits of a second mesh, of some 10 km. */
const SECOND_MESH = 6;

/** Members are in the order of their paths, and there is one at least. */
export function packageTileset(
  members: readonly PackageMember[],
  { options, heights }: Pick<JoinContext, 'options' | 'heights'>,
): Tileset {
  const groups = new Map<string, PackageMember[]>();
  for (const member of members) {
    const mesh = member.mesh?.slice(0, SECOND_MESH) ?? '';
    groups.set(mesh, [...(groups.get(mesh) ?? []), member]);
  }
  const ranges = new PropertyRanges();
  for (const { data } of members) ranges.merge(data.ranges);
  const children = [...groups.values()].map(groupTile);
  const root: Tile = {
    boundingVolume: { region: around(children) },
    geometricError: Math.max(LEAST_ERROR, ...children.map((child) => child.geometricError)),
    refine: 'ADD',
    children,
  };
  return {
    asset: { version: options.tiles, extras: { heights: heights.name, generator: 'citymodel' } },
    properties: Object.fromEntries(
      Object.entries(ranges.toJSON()).map(([name, [minimum, maximum]]) => [name, { minimum, maximum }]),
    ),
    geometricError: root.geometricError,
    root,
  };
}

function groupTile(members: readonly PackageMember[]): Tile {
  const children = members.map(
    ({ folder, data }): Tile => ({
      boundingVolume: { region: data.region },
      geometricError: data.geometricError,
      content: { uri: `${folder}/tileset.json` },
    }),
  );
  if (children.length === 1) return children[0]!;
  return {
    boundingVolume: { region: around(children) },
    geometricError: Math.max(...children.map((child) => child.geometricError)),
    children,
  };
}

function around(tiles: readonly Tile[]): Region {
  return tiles.map((tile) => (tile.boundingVolume as { region: Region }).region).reduce(unionRegions);
}
