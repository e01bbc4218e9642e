/**
 * Conversion of GML files of a package that lies unpacked in a directory: a maker's parts, and the packages joined of
 * them.
 */

import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { compareTexts } from '@citymodel/base';
import { parseGmlName } from '@citymodel/citygml';
import { type PartAccount, PartAccountBuilder } from './account/part-account.ts';
import { heightIssues } from './heights/height-issues.ts';
import { gridFor, heightModel, loadEgm96 } from './heights/height-model.ts';
import { createSingleFile, createZip } from './package-file.ts';
import {
  type ConvertIssue,
  type ConvertOptions,
  type GmlSource,
  type OutputKey,
  outputSuffix,
  type Part,
  type PartMaker,
  type SourcePackage,
} from './part-maker.ts';

const DEFAULTS: ConvertOptions = {
  tiles: '1.1',
  compression: 'draco',
  slim: false,
  unlit: false,
  pmtiles: false,
  lods: null,
  heights: 'geoid',
};

export interface FilesToConvert {
  /** Root of the package: the directory that has `udx` and `codelists`. */
  directory: string;
  /** Paths of GML files in it, `udx/bldg/53394525_bldg_6697_op.gml`. */
  files: readonly string[];
  /** Directory that the packages of tiles are written to; made where it is missing. */
  target: string;
  package: SourcePackage;
  /** Draco in 3D Tiles 1.1, with heights of GSIGEO2011, where absent. */
  options?: Partial<ConvertOptions>;
  signal?: AbortSignal;
}

/** A package of tiles that was written. */
export interface WrittenPackage {
  key: OutputKey;
  /** Its file. */
  path: string;
  bytes: number;
  members: number;
}

export interface ConvertedFiles {
  /** One for each output, in the order of their names. */
  packages: WrittenPackage[];
  issues: ConvertIssue[];
  /** What became of everything in each file, in the order of their paths. */
  accounts: PartAccount[];
}

/**
 * Makes the packages of one kind from some files, one after the other and in this thread. The same files make the same
 * bytes. Images and code lists are found by their exact names. Throws VerticalRefused for heights of an unknown kind,
 * what reading a file throws, and the reason of the signal; files that are complete then stay.
 */
export async function convertFiles(maker: PartMaker, wanted: FilesToConvert): Promise<ConvertedFiles> {
  const { target, signal = new AbortController().signal } = wanted;
  const options = { ...DEFAULTS, ...wanted.options };
  const needsEarth = options.heights !== 'elevation';
  const [grid, egm96] = [await gridFor(options.heights, ''), needsEarth ? await loadEgm96() : null];
  const result: ConvertedFiles = { packages: [], issues: [], accounts: [] };
  const issue = (found: ConvertIssue) => void result.issues.push(found);
  const root = await mkdtemp(join(tmpdir(), 'citymodel-convert-'));
  const empty = async (name: string) => {
    await mkdir(join(root, name));
    return join(root, name);
  };
  try {
    const parts: Part[] = [];
    for (const [i, path] of [...wanted.files].sort().entries()) {
      const gml = await gmlSource(wanted.directory, path, wanted.package);
      const [directory, scratch] = [await empty(`part${i}`), await empty(`scratch${i}`)];
      const heights = heightModel(options.heights, grid, egm96);
      const account = new PartAccountBuilder();
      const context = { options, heights, scratch, signal, issue, account, onText() {} };
      parts.push({ gml, directory, outputs: await maker.makePart(gml, directory, context) });
      result.issues.push(...heightIssues(path, heights));
      result.accounts.push(account.finish());
    }
    const keys = new Map(parts.flatMap(({ outputs }) => outputs.map(({ key }) => [outputSuffix(key), key])));
    await mkdir(target, { recursive: true });
    for (const [suffix, key] of [...keys].sort(([a], [b]) => compareTexts(a, b))) {
      const ofType = parts.filter(({ gml }) => gml.type === key.type);
      const name = `${wanted.package.name}_${suffix}`;
      const container = maker.container(options);
      const path = join(target, `${name}.${container}`);
      const file =
        container === 'zip'
          ? await createZip(path, Date.UTC(wanted.package.year, 0, 1))
          : await createSingleFile(path);
      try {
        const scratch = await empty(`join-${suffix}`);
        const heights = heightModel(options.heights, grid, egm96);
        const shared = { package: wanted.package, name, options, heights, provenance: null };
        await maker.join(key, ofType, file, { ...shared, scratch, signal, issue });
      } catch (error) {
        await file.abandon();
        throw error;
      }
      result.packages.push({ key, path, ...(await file.finish()) });
    }
    return result;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function gmlSource(directory: string, path: string, source: SourcePackage): Promise<GmlSource> {
  const root = resolve(directory);
  /** Null for what a reference cannot mean: a file outside of the package. */
  const fileOf = (name: string) => {
    const file = resolve(root, name);
    return file.startsWith(root + sep) && existsSync(file) ? file : null;
  };
  const file = resolve(root, path);
  const { type, mesh } = parseGmlName(path);
  return {
    ...{ path, type, mesh, size: (await stat(file)).size, package: source },
    text: () => createReadStream(file),
    async member(name, limit) {
      const other = fileOf(name);
      if (other === null) return null;
      const found = await stat(other);
      return found.isFile() && found.size <= limit ? readFile(other) : null;
    },
    textOf(name) {
      const other = fileOf(name);
      return other === null ? null : createReadStream(other);
    },
  };
}
