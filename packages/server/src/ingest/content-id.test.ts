import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetPathOf, contentId, uploadDigest } from './content-id.ts';

const members = [
  { name: 'a', size: 1, crc32: 7 },
  { name: 'b', size: 2, crc32: 0xffffffff },
  { name: '建物', size: 3, crc32: 0 },
];

test('the digest of an upload depends on every member and not on their order', () => {
  const digest = uploadDigest(members);
  assert.match(String(digest), /^[0-9a-f]{64}$/);
  assert.equal(uploadDigest(members.toReversed()), digest);
  const others = [
    members.slice(1),
    [...members, members[0]!],
    ...['name', 'size', 'crc32'].map((key) => [{ ...members[0]!, [key]: 5 }, ...members.slice(1)]),
    [],
  ];
  for (const other of others) assert.notEqual(uploadDigest(other), digest);
});

test('an upload that does not tell a CRC has no digest', () => {
  assert.equal(uploadDigest([...members, { name: 'c', size: 1, crc32: null }]), null);
});

test('the id of a content is shaped like a UUID, and becomes two parts of a path', () => {
  const sha256 = new Uint8Array(32);
  const id = contentId('p', [{ path: 'a', size: 1, sha256 }]);
  assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.notEqual(contentId('q', [{ path: 'a', size: 1, sha256 }]), id);
  assert.notEqual(contentId('p', [{ path: 'a', size: 2, sha256 }]), id);
  assert.equal(assetPathOf(id), `${id.slice(0, 2)}/${id.slice(2)}`);
});
