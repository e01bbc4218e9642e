import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blanked } from './blanked.ts';

test('long runs of numbers become zeros, wherever they are, and nothing else does', () => {
  const of = (text: string) =>
    Buffer.from(blanked(Buffer.from(text)))
      .toString()
      .replaceAll('\0', '_');
  assert.equal(
    of('<posList>35.1 139.2 -0.5</posList>'),
    '<posList>_______________</posList>'.replace('_______________', '35.1 139.2 -0.5'),
  );
  assert.equal(of('<posList>35.1 139.2 -0.55</posList>'), '<posList>________________</posList>');
  assert.equal(of('0123456789abcdef'), '________________');
  assert.equal(of('x0123456789abcdef0'), 'x_________________');
  assert.equal(of('0123456789abcde'), '0123456789abcde');
  assert.equal(of('UUID_0123-4567-89ab-cdef'), 'UUID____________________'.replace('UUID_', 'UUID_'));
  assert.equal(of('建物 0123456789ABCDEF'), '建物 0123456789ABCDEF');
  assert.equal(of(''), '');
});

test('the text itself stays as it is', () => {
  const text = Buffer.from('0123456789abcdef');
  blanked(text);
  assert.equal(text.toString(), '0123456789abcdef');
});
