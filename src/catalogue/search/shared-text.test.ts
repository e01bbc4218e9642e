import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflatePiece } from '../../zip/write/gzip-piece.ts';
import { SharedText } from './shared-text.ts';

test('a shared text is the same before and after it was packed', async () => {
  for (const text of ['', '都市モデル', '{"code":"53394509"},'.repeat(2_000)]) {
    const shared = new SharedText(text);
    assert.equal(shared.size, Buffer.byteLength(text));
    assert.equal(shared.short, text.length < 1_000 ? text : null);
    assert.equal((await shared.bytes()).toString(), text);
    assert.equal((await inflatePiece(await shared.compressed(6))).toString(), text);
    assert.equal(await shared.pack(1), (await shared.compressed(1)).deflated.length);
    assert.equal(shared.short, null);
    assert.equal((await shared.bytes()).toString(), text);
    assert.equal(new SharedText(text).digest, shared.digest);
  }
});
