/** Where in an upload the package begins, and of which kind it is. */
import type { Issue } from '@citymodel/base';
import type { PackageKind } from '@citymodel/store';
import { PackageRefused, type Upload } from './upload.ts';

export interface PackageLayout {
  kind: PackageKind;
  /** Directory that holds the package, with `/` at its end, or ''. */
  root: string;
  /** MVT only: what a tile's name ends in, `mvt` or `pbf`. */
  tileExtension: string | null;
}

const TILE = /^(.*?)(\d{1,2})\/(\d+)\/(\d+)\.(mvt|pbf)$/i;

/** Looks into an upload. Throws as `findLayout`. */
export function layoutOf(upload: Upload): PackageLayout {
  return findLayout(memberNames(upload), upload.location);
}

/** Names of all files of an upload. */
export function* memberNames(upload: Upload): Iterable<string> {
  for (const member of upload.members()) yield member.name;
}

/**
 * Finds the package in a list of member names: `udx/` makes it CityGML, `tileset.json` 3D Tiles, `{z}/{x}/{y}.mvt`
 * MVT; at the root or below directories. Throws PackageRefused when it is none, or several.
 */
export function findLayout(names: Iterable<string>, location: string): PackageLayout {
  const gmlRoots = new Set<string>();
  const tileRoots = new Map<string, string>();
  let tileset: { root: string; depth: number } | null = null;
  let count = 0;
  let sample = '';
  for (const name of names) {
    count++;
    if (count <= 5) sample += `${sample === '' ? '' : ', '}${name}`;
    const udx = name.startsWith('udx/') ? 0 : name.indexOf('/udx/') + 1;
    if ((udx > 0 || name.startsWith('udx/')) && /\.gml$/i.test(name)) gmlRoots.add(name.slice(0, udx));
    if (/(^|\/)tileset\.json$/.test(name)) {
      const root = name.slice(0, -'tileset.json'.length);
      if (tileset === null || depth(root) < tileset.depth) tileset = { root, depth: depth(root) };
      // Several side by side: whether one of them leads to the others is seen when they are read.
      else if (depth(root) === tileset.depth) tileset.root = commonDirectory(tileset.root, root);
    }
    const tile = TILE.exec(name);
    if (tile !== null) tileRoots.set(tile[1]!, tile[5]!);
  }
  if (gmlRoots.size > 1) {
    throw new PackageRefused(
      'SEVERAL_PACKAGES',
      `${location} holds several packages (${[...gmlRoots].map((root) => root || 'the root').join(', ')}); give one zip or directory for each.`,
    );
  }
  for (const root of gmlRoots) return { kind: 'citygml', root, tileExtension: null };
  if (tileset !== null) return { kind: '3dtiles', root: tileset.root, tileExtension: null };
  if (tileRoots.size > 1) {
    throw new PackageRefused(
      'SEVERAL_PACKAGES',
      `${location} holds several tile sets (${[...tileRoots.keys()].map((root) => root || 'the root').join(', ')}); give one zip or directory for each.`,
    );
  }
  for (const [root, extension] of tileRoots) return { kind: 'mvt', root, tileExtension: extension };
  throw new PackageRefused(
    'NOT_A_PACKAGE',
    count === 0
      ? `${location} holds no files that can be read.`
      : `${location} holds neither udx/{type}/*.gml (CityGML) nor tileset.json (3D Tiles) nor {z}/{x}/{y}.mvt (MVT); it begins with ${sample}.`,
  );
}

/** Issue for a package that does not begin where its name says. */
export function rootIssue(layout: PackageLayout, packageName: string): Issue | null {
  if (layout.root === '' || layout.root === `${packageName}/`) return null;
  return {
    code: 'ODD_ROOT',
    severity: 'info',
    member: null,
    message: `The package begins in the directory ${layout.root}, not at the root or in ${packageName}/.`,
  };
}

function commonDirectory(a: string, b: string): string {
  let end = 0;
  for (let i = 0; i < a.length && a[i] === b[i]; i++) if (a[i] === '/') end = i + 1;
  return a.slice(0, end);
}

function depth(path: string): number {
  return path.split('/').length;
}
