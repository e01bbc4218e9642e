import type { Issue, PackageFiles } from '@citymodel/base';

/** A package in memory; strings are written as UTF-8, other values than bytes as JSON. */
export function memoryFiles(contents: Record<string, unknown>): PackageFiles {
  const members = new Map(Object.entries(contents).map(([path, value]) => [path, toBytes(value)]));
  return {
    paths: () => members.keys(),
    size: (path) => members.get(path)?.length,
    async read(path, limit = Infinity) {
      const bytes = members.get(path);
      if (bytes !== undefined && bytes.length > limit) {
        throw new RangeError(`${path} has ${bytes.length} bytes, more than ${limit}`);
      }
      return bytes ?? null;
    },
  };
}

function toBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A sink that keeps its issues, and the sorted codes of them, each once. */
export function collectIssues(): { sink: (issue: Issue) => void; issues: Issue[]; codes: () => string[] } {
  const issues: Issue[] = [];
  return {
    sink: (issue) => issues.push(issue),
    issues,
    codes: () => [...new Set(issues.map((i) => i.code))].sort(),
  };
}
