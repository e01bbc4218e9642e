import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ColumnLayout, columnBytes, columnsOver } from './column-layout.ts';

const WIDTH = { f64: 8, u32: 4, u8: 1, bytes: 1 };

test('columns lie one behind the other, share the memory, and take as many bytes as are counted', () => {
  const counts = fc.record({ wide: fc.nat(9), words: fc.nat(9), small: fc.nat(9), text: fc.nat(9) });
  fc.assert(
    fc.property(counts, fc.nat(5), ({ wide, words, small, text }, base8) => {
      const layout = {
        wide: ['f64', wide],
        words: ['u32', words],
        small: ['u8', small],
        text: ['bytes', text],
      } as const satisfies ColumnLayout;
      const base = base8 * 8;
      const bytes = columnBytes(layout);
      const memory = new ArrayBuffer(base + bytes);
      const columns = columnsOver(layout, memory, base);
      let at = base;
      for (const [name, [kind, count]] of Object.entries(layout)) {
        const column = columns[name as keyof typeof layout];
        assert.deepEqual([column.buffer, column.byteOffset, column.length], [memory, at, count]);
        at += WIDTH[kind] * count;
      }
      assert.equal(at, base + bytes);
      if (bytes > 0) assert.throws(() => columnsOver(layout, memory.slice(1), base), RangeError);
    }),
  );
});
