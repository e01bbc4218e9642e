/** Where in an upload the package begins, and of which kind it is. */
import {
  EVERY_OUTPUT_KIND,
  type Issue,
  OUTPUT_KINDS,
  type PackageKind,
  packageKindLabel,
  SOURCE_LABEL,
} from '@citymodel/base';
import { PackageRefused, type Upload } from './upload.ts';

export interface PackageLayout {
  kind: PackageKind;
  /** Directory that holds the package, with `/` at its end, or ''. */
  root: string;
  /** MVT only: what a tile's name ends in, `mvt` or `pbf`. */
  tileExtension: string | null;
}

/** Looks for packages of one kind among the names of members. */
interface LayoutSearch {
  see(name: string): void;
  /** The package; null when there is none. Throws PackageRefused when there are several. */
  found(location: string): PackageLayout | null;
}

/** How packages of each kind are found, the kinds in their order: the first that is there counts. */
const SEARCHES: Record<PackageKind, () => LayoutSearch> = {
  citygml: searchGml,
  '3dtiles': searchTileset,
  mvt: searchVectorTiles,
};

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
  const searches = [SEARCHES.citygml(), ...EVERY_OUTPUT_KIND.map((kind) => SEARCHES[kind]())];
  let count = 0;
  let sample = '';
  for (const name of names) {
    count++;
    if (count <= 5) sample += `${sample === '' ? '' : ', '}${name}`;
    for (const search of searches) search.see(name);
  }
  for (const search of searches) {
    const layout = search.found(location);
    if (layout !== null) return layout;
  }
  const signs = EVERY_OUTPUT_KIND.map((kind) => `nor ${OUTPUT_KINDS[kind].sign} (${packageKindLabel(kind)})`);
  throw new PackageRefused(
    'NOT_A_PACKAGE',
    count === 0
      ? `${location} holds no files that can be read.`
      : `${location} holds neither udx/{type}/*.gml (${SOURCE_LABEL}) ${signs.join(' ')}; it begins with ${sample}.`,
  );
}

function searchGml(): LayoutSearch {
  const roots = new Set<string>();
  return {
    see(name) {
      const udx = name.startsWith('udx/') ? 0 : name.indexOf('/udx/') + 1;
      if ((udx > 0 || name.startsWith('udx/')) && /\.gml$/i.test(name)) roots.add(name.slice(0, udx));
    },
    found(location) {
      const root = onlyRoot(roots, 'packages', location);
      return root === null ? null : { kind: 'citygml', root, tileExtension: null };
    },
  };
}

function searchTileset(): LayoutSearch {
  let tileset: { root: string; depth: number } | null = null;
  return {
    see(name) {
      if (!/(^|\/)tileset\.json$/.test(name)) return;
      const root = name.slice(0, -'tileset.json'.length);
      if (tileset === null || depth(root) < tileset.depth) tileset = { root, depth: depth(root) };
      // Several side by side: whether one of them leads to the others is seen when they are read.
      else if (depth(root) === tileset.depth) tileset.root = commonDirectory(tileset.root, root);
    },
    found: () => (tileset === null ? null : { kind: '3dtiles', root: tileset.root, tileExtension: null }),
  };
}

const TILE = /^(.*?)(\d{1,2})\/(\d+)\/(\d+)\.(mvt|pbf)$/i;

function searchVectorTiles(): LayoutSearch {
  const extensions = new Map<string, string>();
  return {
    see(name) {
      const tile = TILE.exec(name);
      if (tile !== null) extensions.set(tile[1]!, tile[5]!);
    },
    found(location) {
      const root = onlyRoot(extensions.keys(), 'tile sets', location);
      return root === null ? null : { kind: 'mvt', root, tileExtension: extensions.get(root)! };
    },
  };
}

/** The only directory of those in which a package begins; null for none. */
function onlyRoot(roots: Iterable<string>, what: string, location: string): string | null {
  const all = [...roots];
  if (all.length > 1) {
    throw new PackageRefused(
      'SEVERAL_PACKAGES',
      `${location} holds several ${what} (${all.map((root) => root || 'the root').join(', ')}); give one zip or ` +
        `directory for each.`,
    );
  }
  return all[0] ?? null;
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
