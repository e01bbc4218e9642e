/** Examples of READMEs as tests: what they print is what the README says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where examples say that files are; the server below stands for it. */
const PLACE = 'https://example.org/';
/** A block of code, and the block of text that follows it: what it prints. */
const EXAMPLE = /^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm;

/**
 * Runs every example in the README of a package (`directory`) as a program, in their order and in one directory. What it prints must
 * be the block of text behind it. `files` are on a web server of ranges, which stands for `https://example.org/`; `local` lie
 * beside the program. Throws an AssertionError, and for a README with a block of TypeScript that no text follows.
 */
export async function runReadmeExamples(
  directory: string,
  files: Readonly<Record<string, Uint8Array>>,
  local: Readonly<Record<string, Uint8Array>> = {},
): Promise<number> {
  const readme = await readFile(join(directory, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(EXAMPLE)];
  assert.equal(examples.length, readme.match(/^```ts$/gm)?.length ?? 0, 'text follows each example');
  // Inside of the package, so that its imports are found.
  const place = await mkdtemp(join(directory, '.readme-'));
  await using server = await serveRanges(files);
  try {
    for (const [name, bytes] of Object.entries(local)) await writeFile(join(place, name), bytes);
    for (const [i, [, code, printed]] of examples.entries()) {
      const program = join(place, `example${i}.ts`);
      await writeFile(program, code!.replaceAll(PLACE, server.url));
      const { stdout } = await promisify(execFile)(process.execPath, [program], {
        cwd: place,
        timeout: 60_000,
      });
      assert.equal(stdout, printed);
    }
  } finally {
    await rm(place, { recursive: true });
  }
  return examples.length;
}

/** Serves files from memory, with single ranges and without anything else. */
export async function serveRanges(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const bytes = files[decodeURIComponent(request.url!.slice(1))];
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (bytes === undefined || range === null) {
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
      return;
    }
    const [start, end] = [Number(range[1]), Number(range[2])];
    response.writeHead(206, { 'Content-Range': `bytes ${start}-${end}/${bytes.length}` });
    response.end(bytes.subarray(start, end + 1));
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
