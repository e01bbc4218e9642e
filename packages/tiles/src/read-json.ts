import type { IssueSink, PackageFiles } from '@citymodel/base';
import { JSON_LIMIT, JsonTooLarge, parseBoundedJson } from './bounded-json.ts';

/** A document of the package that would take too much memory: the package is refused. */
export class DocumentTooLarge extends Error {
  /** Path in the package. */
  readonly member: string;

  constructor(member: string, message: string) {
    super(message);
    this.name = 'DocumentTooLarge';
    this.member = member;
  }
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a member as a JSON object. Null when it is missing, cannot be read, is no JSON or no object; each but the first
 * is reported as `code`. Throws DocumentTooLarge before parsing it takes too much memory.
 */
export async function readJsonObject(
  files: PackageFiles,
  path: string,
  issue: IssueSink,
  code: string,
): Promise<Record<string, unknown> | null> {
  const fail = (message: string) => {
    issue({ code, severity: 'error', message, member: path });
    return null;
  };
  const size = files.size(path);
  if (size === undefined) return null;
  if (size > JSON_LIMIT) {
    throw new DocumentTooLarge(path, `The document has ${size} bytes; at most ${JSON_LIMIT} are read.`);
  }
  let bytes: Uint8Array | null;
  try {
    bytes = await files.read(path, JSON_LIMIT);
  } catch (error) {
    return fail(`The document could not be read (${(error as Error).message}).`);
  }
  if (bytes === null) return null;
  try {
    const value = parseBoundedJson(bytes);
    return isObject(value) ? value : fail('The document is JSON but no object; an object was expected.');
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new DocumentTooLarge(path, error.message);
    return fail(`The document is no JSON in UTF-8 (${(error as Error).message}).`);
  }
}
