/** Examples of READMEs as tests: what they print is what the README says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Where examples say that files are; the server below stands for it. */
const PLACE = 'https://example.org/';
/** A block of code, and the block of text that follows it: what it prints. */
const EXAMPLE = /^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm;

/** What examples read, by path in the directory in which they run. */
type Files = Readonly<Record<string, string | Uint8Array>>;

/**
 * Runs every example in the README of a package (`directory`) as a program, in their order and in one directory. What
 * it prints must be the block of text behind it. A web server of ranges, which stands for `https://example.org/`,
 * serves what is in that directory. Says how many there were, and how many bytes the server sent. Throws an
 * AssertionError, also for an example that no text follows.
 */
export async function runReadmeExamples(
  directory: string,
  files: Files,
): Promise<{ examples: number; bytes: number }> {
  const readme = await readFile(join(directory, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(EXAMPLE)];
  assert.equal(examples.length, readme.match(/^```ts$/gm)?.length ?? 0, 'text follows each example');
  // Inside of the package, so that its imports are found.
  const place = await mkdtemp(join(directory, '.readme-'));
  let bytes = 0;
  const fileAt = (path: string) => readFile(join(place, path)).catch(() => null);
  await using server = await serveRanges(fileAt, (sent) => {
    bytes += sent;
  });
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(place, name)), { recursive: true });
      await writeFile(join(place, name), content);
    }
    for (const [i, [, code, printed]] of examples.entries()) {
      const program = join(place, `example${i}.ts`);
      await writeFile(program, code!.replaceAll(PLACE, server.url));
      const options = { cwd: place, timeout: 60_000 };
      const { stdout } = await promisify(execFile)(process.execPath, [program], options);
      assert.equal(stdout, printed);
    }
  } finally {
    await rm(place, { recursive: true });
  }
  return { examples: examples.length, bytes };
}

/** Serves files by single ranges, and does nothing else. `onSent` is told how many bytes go out. */
export async function serveRanges(
  find: (path: string) => Promise<Uint8Array | null>,
  onSent: (bytes: number) => void = () => {},
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const bytes = await find(decodeURIComponent(request.url!.slice(1)));
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (bytes === null || range === null) {
      response.writeHead(bytes === null ? 404 : 200).end(bytes);
      return;
    }
    const part = bytes.subarray(Number(range[1]), Number(range[2]) + 1);
    const contentRange = `bytes ${range[1]}-${range[2]}/${bytes.length}`;
    response.writeHead(206, { 'Content-Range': contentRange }).end(part);
    onSent(part.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
