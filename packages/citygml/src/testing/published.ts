import { basename } from 'node:path';
import yauzl from 'yauzl';

/** Published packages for tests, which are not part of the project. */
export const DATA = new URL('../../../../../shared/data/', import.meta.url).pathname;

/** The members of a package whose names match, the GML and XML files otherwise, by their path below its root. */
export async function unzip(path: string, pattern = /\.(gml|xml)$/i): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const zip = await yauzl.openPromise(path);
  const root = `${basename(path, '.zip')}/`;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/') || !pattern.test(entry.fileName)) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    members.set(entry.fileName.replace(root, ''), Buffer.concat(chunks));
  }
  return members;
}

/** A small generator with a seed, uniform in [0, 1). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
