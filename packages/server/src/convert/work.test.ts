/** What becomes of pieces of work that fail, over stores that a test makes fail. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VerticalRefused } from '@citymodel/tiles';
import { ConversionFailed } from './conversion-failed.ts';
import type { PartStore } from './part-store.ts';
import { USUAL_OPTIONS } from './testing/convert-zip.ts';
import { type JoinTask, type PartTask, type WorkContext, work } from './work.ts';

const GML = { path: 'udx/bldg/a.gml', type: 'bldg', mesh: null, size: 7 };
const PART: PartTask = { kind: 'part', maker: '3dtiles', gml: GML, hash: 'h' };

function contextOf(store: Partial<PartStore>, signal = new AbortController().signal) {
  let heard = 0;
  const context = {
    source: { package: { year: 2023 } },
    store,
    options: { ...USUAL_OPTIONS, heights: 'elevation' },
    grid: null,
    signal,
    onText: (bytes: number) => {
      heard += bytes;
    },
  } as unknown as WorkContext;
  return { context, heard: () => heard };
}

const failing = (error: unknown): Partial<PartStore> => ({
  find: async () => null,
  begin: () => Promise.reject(error),
});

test('a part that is there already is not made again, and its text counts', async () => {
  const known = { outputs: [], issues: [], account: { known: true } };
  const { context, heard } = contextOf({
    find: async (hash: string) => (hash === 'h' ? known : null),
  } as never);
  assert.deepEqual(await work(PART, context), { ...known, file: null });
  assert.equal(heard(), 7);
});

test('a part that cannot be made is an issue of its file', async () => {
  const issueOf = async (error: unknown) => {
    const { issues, outputs, account, file } = await work(PART, contextOf(failing(error)).context);
    assert.deepEqual([issues.length, outputs, account, file], [1, [], null, null]);
    return issues[0]!;
  };
  const usual = { severity: 'error', file: GML.path, id: null, count: 1 };
  const { message, ...vertical } = await issueOf(new VerticalRefused('EPSG:1'));
  assert.deepEqual(vertical, { ...usual, code: 'VERTICAL_SYSTEM_REFUSED', remedy: 'The file is left out.' });
  assert.match(message, /EPSG:1/);
  const remedy = 'The file is left out. Correct it and convert the package again.';
  for (const [error, words] of [
    [new Error('odd'), 'odd'],
    ['a text', 'a text'],
  ] as const)
    assert.deepEqual(await issueOf(error), {
      ...usual,
      code: 'PART_FAILED',
      message: `The file cannot be converted: ${words}`,
      remedy,
    });
});

test('what the system fails at ends the conversion, and so does its caller', async () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  await assert.rejects(work(PART, contextOf(failing(full)).context), ConversionFailed);
  const reason = new Error('enough');
  await assert.rejects(work(PART, contextOf(failing(full), AbortSignal.abort(reason)).context), reason);
});

async function joining(t: TestContext, error: unknown, signal?: AbortSignal) {
  const directory = await mkdtemp(join(tmpdir(), 'work-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const scratch = await mkdtemp(join(directory, 'scratch-'));
  const task = {
    ...{ kind: 'join', maker: '3dtiles', key: {}, name: 'tiles', provenance: {} },
    parts: [{ gml: GML, hash: 'h' }],
    target: join(directory, 'out/tiles.zip'),
  } as unknown as JoinTask;
  const store = {
    begin: async () => scratch,
    part: () => Promise.reject(error),
  } as unknown as Partial<PartStore>;
  const result = work(task, contextOf(store, signal).context);
  await result.catch(() => {});
  // Nothing stays of what was begun.
  assert.deepEqual([await readdir(directory), await readdir(join(directory, 'out'))], [['out'], []]);
  return result;
}

test('a package that cannot be put together is an issue of its own, and leaves nothing', async (t) => {
  const { issues, file } = await joining(t, new Error('odd'));
  assert.equal(file, null);
  assert.deepEqual(
    issues.map(({ code, severity, file: name, message }) => [code, severity, name, message]),
    [['PACKAGE_FAILED', 'error', 'tiles', 'The package of tiles cannot be put together: odd']],
  );
  await assert.rejects(joining(t, Object.assign(new Error('x'), { code: 'ENOSPC' })), ConversionFailed);
  await assert.rejects(joining(t, new Error('odd'), AbortSignal.abort(new Error('enough'))), {
    message: 'enough',
  });
});
