import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemberDamaged } from '@citymodel/zip';
import { ConversionFailed, systemFailure } from './conversion-failed.ts';
import { PartStore } from './part-store.ts';
import { USUAL_OPTIONS } from './testing/convert-zip.ts';
import { type WorkContext, work } from './work.ts';
import { errorOf } from './work-thread.ts';

const system = (code: string) =>
  Object.assign(new Error(`${code}: something, open '/x'`), { code, syscall: 'open', path: '/x' });

test('what the system fails at is told from what is wrong with the data', () => {
  assert.equal(systemFailure(system('ENOSPC'))?.code, 'NO_SPACE');
  assert.match(
    systemFailure(new Error('while writing', { cause: system('EDQUOT') }))!.message,
    /disk is full/,
  );
  for (const code of ['EIO', 'EMFILE']) assert.equal(systemFailure(system(code))?.code, 'UNREADABLE');
  assert.equal(systemFailure(new MemberDamaged('TRUNCATED', 'a.gml', 'It ends early.')), null);
  assert.equal(systemFailure(new TypeError('x is not a function')), null);
});

test('the error of a thread is what the thread told: the system that failed, or anything else', () => {
  const full = errorOf({ failed: 'The disk is full.', code: 'NO_SPACE' });
  assert.ok(full instanceof ConversionFailed);
  assert.deepEqual([full.code, full.message], ['NO_SPACE', 'The disk is full.']);
  const other = errorOf({ failed: 'TypeError: x', code: null });
  assert.deepEqual([other instanceof ConversionFailed, other.message], [false, 'TypeError: x']);
});

test('a system that fails while a part is made ends the conversion, and is no issue of the file', async () => {
  const root = mkdtempSync(join(tmpdir(), 'citymodel-failed-'));
  try {
    const gml = { path: 'udx/luse/52385500_luse_6697_op.gml', type: 'luse', mesh: '52385500', size: 1_000 };
    for (const code of ['EIO', 'EMFILE', 'ENOSPC']) {
      const source = {
        package: { name: 'a', cityCode: '22203', cityName: '沼津市', wards: [], year: 2023 },
        read(): AsyncIterable<Uint8Array> {
          throw system(code);
        },
        member: async () => null,
        has: () => false,
        stampOf: async () => null,
      } as unknown as WorkContext['source'];
      const context: WorkContext = {
        source,
        store: new PartStore(root, async () => null),
        options: USUAL_OPTIONS,
        grid: null,
        signal: new AbortController().signal,
        onText() {},
      };
      const part = { kind: 'part', maker: 'mvt', gml, hash: '0'.repeat(64) } as const;
      await assert.rejects(work(part, context), ConversionFailed);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
