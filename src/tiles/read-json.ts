import type { IssueSink } from '../base/issue.ts';
import type { PackageFiles } from '../base/package-files.ts';

/** A JSON document above this many bytes is not read. */
export const JSON_LIMIT = 256 * 1024 * 1024;

/** Decodes UTF-8 with or without a byte order mark; throws a TypeError for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a member as a JSON object. Null when it is missing, too large, no JSON or no object; each but the first is
 * reported as `code`.
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
  let bytes: Uint8Array | null;
  try {
    bytes = await files.read(path, JSON_LIMIT);
  } catch (error) {
    return fail(
      `The document could not be read (${(error as Error).message}); at most ${JSON_LIMIT} bytes are read.`,
    );
  }
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes));
    return isObject(value) ? value : fail('The document is JSON but no object; an object was expected.');
  } catch (error) {
    return fail(`The document is no JSON in UTF-8 (${(error as Error).message}).`);
  }
}
