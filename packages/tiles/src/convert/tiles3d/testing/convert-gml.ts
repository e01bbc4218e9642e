/** Converts GML files as the runner would, into memory. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { geoidHeight, readGsigeo2011 } from '@citymodel/geo';
import {
  type ConvertIssue,
  type ConvertOptions,
  type GmlSource,
  type OutputKey,
  outputSuffix,
  type Part,
} from '../../part-maker.ts';
import { partContext } from '../../read/testing/gml-source.ts';
import { tiles3dMaker } from '../maker.ts';

const geoid = readGsigeo2011();

/** GSIGEO2011, 0 outside of it. */
export function geoidOffset(lng: number, lat: number): number {
  return geoidHeight(geoid, lng, lat) ?? 0;
}

/** Files of a package by their paths. */
export type PackageFilesInMemory = Map<string, Uint8Array>;

export interface Converted {
  /** Packages by what follows the name of the CityGML package. */
  packages: Map<string, PackageFilesInMemory>;
  keys: Map<string, OutputKey>;
  issues: ConvertIssue[];
}

export async function convertGml(
  sources: readonly GmlSource[],
  options: Partial<ConvertOptions> = {},
): Promise<Converted> {
  const root = mkdtempSync(join(tmpdir(), 'tiles3d-'));
  try {
    const parts: Part[] = [];
    const issues: ConvertIssue[] = [];
    for (const [i, gml] of sources.entries()) {
      const [directory, scratch] = [join(root, `part${i}`), join(root, `scratch${i}`)];
      for (const folder of [directory, scratch]) mkdirSync(folder);
      const context = partContext(scratch, options, geoidOffset);
      const outputs = await tiles3dMaker.makePart(gml, directory, context);
      parts.push({ gml, directory, outputs });
      issues.push(...context.issues);
    }
    const keys = new Map(
      parts.flatMap((part) => part.outputs.map(({ key }) => [outputSuffix(key), key] as const)),
    );
    const packages = new Map<string, PackageFilesInMemory>();
    for (const [suffix, key] of keys) {
      const files: PackageFilesInMemory = new Map();
      const context = partContext(root, options);
      await tiles3dMaker.join(
        key,
        parts,
        {
          async add(path, bytes) {
            files.set(path, bytes);
          },
          async addFile(path, file) {
            // Files of parts are deflated.
            files.set(path, inflateRawSync(readFileSync(file)));
          },
        },
        { ...context, package: sources[0]!.package, name: suffix, provenance: null },
      );
      packages.set(suffix, files);
    }
    return { packages, keys, issues };
  } finally {
    rmSync(root, { recursive: true });
  }
}
