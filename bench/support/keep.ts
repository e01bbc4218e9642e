import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';

/** What an answer was; see `bare-server.ts`, which gives it again. */
export interface Kept {
  bytes: number;
  etag: string;
}

/** Headers that every server sets for itself. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Fetches an answer, encoded as it comes, and keeps its bytes and headers in a directory for the bare server. */
export async function keep(
  directory: string,
  name: string,
  url: string,
  headers: Record<string, string>,
): Promise<Kept> {
  const answer = await new Promise<{ body: Buffer; headers: Record<string, string> }>((resolve, reject) => {
    request(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const own = Object.entries(response.headers).filter(([key]) => !OWN.has(key));
        resolve({
          body: Buffer.concat(chunks),
          headers: Object.fromEntries(own.map(([k, v]) => [k, String(v)])),
        });
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
  await writeFile(join(directory, name), answer.body);
  await writeFile(join(directory, `${name}.headers.json`), JSON.stringify(answer.headers));
  return { bytes: answer.body.length, etag: answer.headers.etag ?? '' };
}
