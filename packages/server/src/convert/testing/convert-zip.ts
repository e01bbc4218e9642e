/** Converts a package from a file, as tests and benches do. */
import { join } from 'node:path';
import type { ConvertOptions } from '@citymodel/tiles';
import {
  type ConvertEnvironment,
  type ConvertReport,
  type ConvertRequest,
  convertPackage,
} from '../convert.ts';
import { CONVERT_THREAD } from '../thread-module.ts';

/** What the command does without options. */
export const USUAL_OPTIONS: ConvertOptions = {
  tiles: '1.1',
  compression: 'draco',
  slim: false,
  unlit: false,
  pmtiles: false,
  lods: null,
  heights: 'geoid',
};

/** What is not as usual. */
export interface ZipChange {
  options?: Partial<ConvertOptions>;
  request?: Partial<Omit<ConvertRequest, 'options'>>;
  environment?: Partial<ConvertEnvironment>;
}

/** In this thread; packages of tiles go to `out` below the directory, parts to `parts`. */
export function convertZip(
  path: string,
  directory: string,
  { options, request, environment }: ZipChange = {},
): Promise<ConvertReport> {
  return convertPackage(
    {
      address: { kind: 'upload', path, overrides: {} },
      options: { ...USUAL_OPTIONS, ...options },
      types: null,
      out: join(directory, 'out'),
      partsDirectory: join(directory, 'parts'),
      geoid: '',
      jobs: 0,
      share: null,
      isWanted: async () => true,
      ...request,
    },
    {
      objectStore: null,
      objects: null,
      threadModule: CONVERT_THREAD,
      signal: new AbortController().signal,
      onProgress() {},
      ...environment,
    },
  );
}
