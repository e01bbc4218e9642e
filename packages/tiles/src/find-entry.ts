import type { IssueSink, PackageFiles } from '@citymodel/base';
import { isObject, readJsonObject } from './read-json.ts';
import { resolveUri } from './resolve-uri.ts';

/** Tilesets that are compared when several lie one directory down. */
const MAX_CANDIDATES = 100;

/**
 * The tileset that a viewer should open: `tileset.json` at the package's root; else the one that lies one directory
 * down; of several there, the only one that none of the others refers to. Null when there is none or no single one,
 * which is reported.
 */
export async function findEntryTileset(
  files: PackageFiles,
  issue: IssueSink,
): Promise<{ entry: string; json: Record<string, unknown> } | null> {
  const candidates: string[] = [];
  for (const path of files.paths()) {
    if (/^(?:[^/]+\/)?tileset\.json$/.test(path)) candidates.push(path);
  }
  candidates.sort();
  const chosen = candidates.includes('tileset.json') ? ['tileset.json'] : candidates.slice(0, MAX_CANDIDATES);
  if (chosen.length === 0) {
    issue({
      code: 'TILESET_MISSING',
      severity: 'error',
      message: 'There is no tileset.json at the root of the package nor one directory down.',
      member: null,
    });
    return null;
  }
  const read = new Map<string, Record<string, unknown>>();
  for (const path of chosen) {
    const json = await readJsonObject(files, path, issue, 'TILESET_UNREADABLE');
    if (json !== null) read.set(path, json);
  }
  const referenced = new Set<string>();
  if (read.size > 1) for (const [path, json] of read) addReferences(path, json, referenced);
  const [only, ...others] = [...read.keys()].filter((path) => !referenced.has(path));
  if (only !== undefined && others.length === 0) return { entry: only, json: read.get(only)! };
  if (read.size > 0) {
    issue({
      code: 'TILESET_AMBIGUOUS',
      severity: 'error',
      message:
        `The tilesets ${[...read.keys()].join(', ')} lie side by side; exactly one that none of the others ` +
        `refers to was expected.`,
      member: null,
    });
  }
  return null;
}

function addReferences(path: string, json: Record<string, unknown>, references: Set<string>): void {
  const stack: unknown[] = [json.root];
  for (let tile = stack.pop(); stack.length > 0 || tile !== undefined; tile = stack.pop()) {
    if (!isObject(tile)) continue;
    const contents = Array.isArray(tile.contents) ? tile.contents : [];
    for (const content of [tile.content, ...contents]) {
      const uri = isObject(content) ? content.uri : undefined;
      const resolved = typeof uri === 'string' ? resolveUri(path, uri) : null;
      if (resolved?.kind === 'member' && resolved.path !== path) references.add(resolved.path);
    }
    if (Array.isArray(tile.children)) for (const child of tile.children) stack.push(child);
  }
}
