/**
 * Lists of files that are far too large to be held, against the built server: several readers that take them slowly.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fillDataDir } from '../bench/national/generate.ts';
import { beside } from './support/beside.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';

const FILES = 24_000;
const READERS = 6;
const EVERYTHING = '/datacatalog/citygml/r:122,20,154,46?all_years=true';
/** By how much several readers let a process grow that has served one of them. */
const MOST_MB = 160;
/** Others may wait for so long on a busy machine, ms; a turn of the event loop takes a hundredth of it. */
const PATIENCE = 5_000;

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const data = join(directory, 'data');
  await fillDataDir(data, { seed: 'slow readers', cities: 20, years: [2024], datasets: 2_000, files: FILES });
  server = await startServer(data, { env: { PACK_WORKERS: '0' } });
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

async function open(path: string): Promise<IncomingMessage> {
  const outgoing = request(server.address, { path, agent: false });
  outgoing.end();
  const [incoming] = await once(outgoing, 'response');
  return incoming;
}

describe('a list of all files', () => {
  it(`goes to ${READERS} slow readers as they take it`, async (t) => {
    const read = async () => {
      const incoming = await open(EVERYTHING);
      assert.equal(incoming.statusCode, 200);
      let files = 0;
      let bytes = 0;
      let rest = '';
      for await (const chunk of incoming) {
        bytes += chunk.length;
        const text = rest + chunk.toString('latin1');
        files += text.split('"sha256"').length - 1;
        rest = text.slice(-7);
        // A reader that has something else to do between two reads.
        await server.request('/health/live');
      }
      return { files, bytes };
    };
    // What one answer takes at most of a new process: its heap grows before it is collected for the first time.
    const alone = await beside(server, read);
    const { result, live, grownMb } = await beside(server, () =>
      Promise.all(Array.from({ length: READERS }, read)),
    );
    for (const { files, bytes } of result) {
      assert.equal(files, 2 * FILES);
      assert.ok(bytes > 10e6);
    }
    t.diagnostic(`alone: grown ${Math.round(alone.grownMb ?? 0)} MB`);
    t.diagnostic(`live at most ${Math.round(live.at(-1)!)} ms, grown ${Math.round(grownMb ?? 0)} MB`);
    assert.ok(live.at(-1)! < PATIENCE, `${live.at(-1)} ms`);
    assert.ok((grownMb ?? 0) < MOST_MB, `${grownMb} MB`);
  });

  it('is asked for by readers that go away, and answers others afterwards', async () => {
    const gone = await Promise.all(Array.from({ length: READERS }, () => open(EVERYTHING)));
    for (const incoming of gone) incoming.destroy();
    const types = await open(`${EVERYTHING}&types=brid`);
    assert.equal(types.statusCode, 200);
    for await (const _ of types);
  });
});
