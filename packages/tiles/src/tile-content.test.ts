import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ContentError,
  contentKind,
  contentKindOfPath,
  lookInto,
  readComposite,
  readGlb,
  readTableTile,
} from './tile-content.ts';

interface Parts {
  feature?: string;
  featureBinary?: string;
  batch?: string;
  batchBinary?: string;
  payload?: string;
  /** Bytes that the header says more than there are. */
  more?: number;
}

/** A tile with tables, by 3D Tiles 1.0, sections 10 to 12. */
function tableTile(
  kind: 'b3dm' | 'i3dm' | 'pnts',
  { feature = '', featureBinary = '', batch = '', batchBinary = '', payload = '', more = 0 }: Parts = {},
): Uint8Array {
  const sections = [feature, featureBinary, batch, batchBinary];
  const header = Buffer.alloc(kind === 'i3dm' ? 32 : 28);
  header.write(kind);
  header.writeUInt32LE(1, 4);
  for (const [n, section] of sections.entries()) header.writeUInt32LE(Buffer.byteLength(section), 12 + 4 * n);
  if (kind === 'i3dm') header.writeUInt32LE(1, 28);
  const bytes = Buffer.concat([header, Buffer.from(sections.join('') + payload)]);
  bytes.writeUInt32LE(bytes.length + more, 8);
  // Within a longer buffer, as bytes of a pack are.
  return Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
}

/** A tile of tiles, by 3D Tiles 1.0, section 13. */
function composite(tiles: readonly Uint8Array[], count = tiles.length): Uint8Array {
  const header = Buffer.alloc(16);
  header.write('cmpt');
  header.writeUInt32LE(1, 4);
  header.writeUInt32LE(count, 12);
  const bytes = Buffer.concat([header, ...tiles]);
  bytes.writeUInt32LE(bytes.length, 8);
  return bytes;
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('tables and payload of a tile lie one behind the other', () => {
  for (const kind of ['b3dm', 'i3dm', 'pnts'] as const) {
    const tile = readTableTile(
      tableTile(kind, {
        feature: '{"A":1}',
        featureBinary: 'bin',
        batch: '{"B":2} ',
        batchBinary: 'more',
        payload: 'glTF!',
      }),
    );
    assert.deepEqual([tile.kind, tile.version], [kind, 1]);
    assert.deepEqual([tile.featureTable, tile.batchTable], [{ A: 1 }, { B: 2 }]);
    assert.deepEqual([tile.featureTableBinary, tile.batchTableBinary, tile.payload].map(text), [
      'bin',
      'more',
      'glTF!',
    ]);
    assert.equal(tile.gltfFormat, kind === 'i3dm' ? 1 : null);
    const header = kind === 'i3dm' ? 32 : 28;
    assert.deepEqual(tile.offsets, {
      featureTableBinary: header + 7,
      batchTable: header + 10,
      batchTableBinary: header + 18,
      payload: header + 22,
    });
  }
});

test('a tile without tables has an empty feature table and no batch table', () => {
  const tile = readTableTile(tableTile('pnts'));
  assert.deepEqual([tile.featureTable, tile.batchTable, tile.payload.length], [{}, null, 0]);
});

test('tables may be filled up with zeros, and must be objects', () => {
  assert.deepEqual(readTableTile(tableTile('b3dm', { feature: '{"A":1}\0\0' })).featureTable, { A: 1 });
  const message = (parts: Parts) => {
    try {
      readTableTile(tableTile('b3dm', parts));
    } catch (error) {
      assert.ok(error instanceof ContentError);
      return error.message;
    }
    return assert.fail('was read');
  };
  assert.match(message({ feature: '{' }), /^The feature table of the b3dm is no JSON \(.+\)\.$/);
  assert.match(message({ batch: '\0\0' }), /^The batch table of the b3dm is no JSON /);
  assert.equal(message({ batch: '[1]' }), 'The batch table of the b3dm is JSON but no object.');
});

test('a header that says more than there is, is refused', () => {
  const short = (bytes: Uint8Array) => assert.throws(() => readTableTile(bytes), ContentError);
  short(tableTile('b3dm', { more: 1 }));
  short(tableTile('i3dm').subarray(0, 31));
  short(tableTile('pnts').subarray(0, 27));
  const overlong = tableTile('pnts', { feature: '{}', payload: '..' });
  new DataView(overlong.buffer, overlong.byteOffset).setUint32(12, 5, true);
  assert.throws(() => readTableTile(overlong), {
    message: 'The pnts has 32 bytes; its header says 32, and its tables alone end at 33.',
  });
  assert.throws(() => readTableTile(Buffer.from('glTF')), {
    message: 'The content begins with "glb"; b3dm, i3dm or pnts was expected.',
  });
  // What follows the tile is not of it.
  const followed = Buffer.concat([tableTile('b3dm', { payload: 'p' }), Buffer.from('next')]);
  assert.equal(text(readTableTile(followed).payload), 'p');
});

test('the tiles of a composite are told apart by their lengths', () => {
  const tiles = [tableTile('b3dm', { payload: 'one' }), tableTile('pnts')];
  assert.deepEqual(readComposite(composite(tiles)).map(text), tiles.map(text));
  assert.deepEqual(readComposite(composite([])), []);
  assert.throws(() => readComposite(composite([]).subarray(0, 15)), {
    message: 'The cmpt has 15 bytes; its header alone has 16.',
  });
  assert.throws(() => readComposite(composite(tiles, 3)), {
    name: 'ContentError',
    message: 'Tile 2 of the cmpt would end at 75 of 75 bytes.',
  });
  const short = Buffer.from(tiles[1]!);
  short.writeUInt32LE(11, 8);
  assert.throws(() => readComposite(composite([short])), /Tile 0 of the cmpt would end at 27 of 44 bytes/);
  assert.throws(() => readComposite(composite([tiles[0]!.subarray(0, 20)])), /would end at 47 of 36 bytes/);
});

test('a content is known by its first bytes', () => {
  const kinds: Record<string, string> = {
    b3dm: 'b3dm',
    i3dm: 'i3dm',
    pnts: 'pnts',
    cmpt: 'cmpt',
    glTF: 'glb',
    subt: 'subtree',
    '{"asset":{},"root":{}}': 'tileset',
    '\uFEFF {"asset":{},"root":{}}': 'tileset',
    '      {"asset":{},"root":{}}': 'tileset',
    '{"asset":{}}': 'gltf',
    '{"asset":{},"root":1}': 'gltf',
    '{"asset":1,"root":{}}': 'other',
    '{"root":{}}': 'other',
    '{"asset":': 'other',
    '': 'other',
    '<xml>': 'other',
    'x{"asset":{}}': 'other',
  };
  for (const [bytes, kind] of Object.entries(kinds))
    assert.equal(contentKind(Buffer.from(bytes)), kind, bytes);
});

test('a content is probably what the extension of its path says', () => {
  const kinds: Record<string, string> = {
    'a/b.b3dm': 'b3dm',
    'a.I3DM': 'i3dm',
    'a.pnts': 'pnts',
    'a.cmpt': 'cmpt',
    'a.glb': 'glb',
    'a.gltf': 'gltf',
    'a.subtree': 'subtree',
    'tileset.json': 'tileset',
    'a.glb.bak': 'other',
    glb: 'other',
  };
  for (const [path, kind] of Object.entries(kinds)) assert.equal(contentKindOfPath(path), kind, path);
});

/** A binary glTF (glTF 2.0, section 4.4) without padding. */
function glb(json: string, bin?: string): Uint8Array {
  const chunk = (type: number, content: string) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(Buffer.byteLength(content), 0);
    head.writeUInt32LE(type, 4);
    return Buffer.concat([head, Buffer.from(content)]);
  };
  const header = Buffer.alloc(12);
  header.write('glTF');
  header.writeUInt32LE(2, 4);
  const bytes = Buffer.concat([
    ...[header, chunk(0x4e4f534a, json)],
    ...(bin === undefined ? [] : [chunk(0x004e4942, bin)]),
  ]);
  bytes.writeUInt32LE(bytes.length, 8);
  return bytes;
}

test('a binary glTF has JSON, and bytes where there is a second chunk', () => {
  const read = readGlb(glb('{"asset":{}}', 'bytes'));
  assert.deepEqual([read.version, read.json, text(read.bin)], [2, { asset: {} }, 'bytes']);
  assert.equal(readGlb(glb('{}')).bin.length, 0);
  assert.equal(text(readGlb(Buffer.concat([glb('{}', 'bytes'), Buffer.from('next')])).bin), 'bytes');
  // A chunk that says more than there is ends with the file.
  const overlong = Buffer.from(glb('{}', 'bytes'));
  overlong.writeUInt32LE(99, 22);
  assert.equal(text(readGlb(overlong).bin), 'bytes');
});

test('a binary glTF whose lengths or JSON are wrong is refused', () => {
  const refused = (bytes: Uint8Array, message: string | RegExp) =>
    assert.throws(() => readGlb(bytes), { name: 'ContentError', message });
  refused(glb('').subarray(0, 19), 'The 19 bytes are no binary glTF: they lack its header.');
  refused(tableTile('b3dm'), 'The 28 bytes are no binary glTF: they lack its header.');
  refused(
    glb('{"asset":{}}').subarray(0, 31),
    'The binary glTF has 31 bytes; its header says 32, its JSON ends at 32.',
  );
  const overlong = Buffer.from(glb('{}'));
  overlong.writeUInt32LE(3, 12);
  refused(overlong, 'The binary glTF has 22 bytes; its header says 22, its JSON ends at 23.');
  refused(glb(''), /^The JSON of the binary glTF cannot be parsed \(.+\)\.$/);
  refused(glb('[]'), 'The JSON of the binary glTF is no object.');
});

const PLAIN = '{"asset":{},"materials":[{}]}';
const TEXTURED = '{"asset":{},"images":[{}],"textures":[{}]}';

test('a glTF is textured when it has images and textures', () => {
  const looks: Record<string, boolean> = {
    [PLAIN]: false,
    [TEXTURED]: true,
    '{"asset":{},"images":[],"textures":[{}]}': false,
    '{"asset":{},"images":[{}]}': false,
    '{"asset":{},"images":{},"textures":[{}]}': false,
  };
  for (const [json, textured] of Object.entries(looks)) {
    assert.deepEqual(lookInto(Buffer.from(json)), { textured, lod: null }, json);
    assert.deepEqual(lookInto(glb(json)), { textured, lod: null }, json);
  }
  assert.deepEqual(lookInto(Buffer.from('<xml>')), { textured: null, lod: null });
});

test('the highest LOD stands in the batch table, and a model in another file is not looked into', () => {
  const look = (kind: 'b3dm' | 'i3dm' | 'pnts', batch: string, payload: Uint8Array) =>
    lookInto(tableTile(kind, { batch, payload: text(payload) }));
  const model = glb(TEXTURED);
  assert.deepEqual(look('b3dm', '{"lod":[1,"2",0,5,-1,"x"]}', model), { textured: true, lod: 2 });
  assert.deepEqual(look('b3dm', '{"_lod":[4]}', model), { textured: true, lod: 4 });
  assert.deepEqual(look('b3dm', '{"LOD":[0]}', glb(PLAIN)), { textured: false, lod: 0 });
  assert.deepEqual(look('b3dm', '{"lod":3}', model), { textured: true, lod: null });
  assert.deepEqual(look('b3dm', '', model), { textured: true, lod: null });
  assert.deepEqual(look('i3dm', '', model), { textured: true, lod: null });
  assert.deepEqual(look('i3dm', '', Buffer.from('model.glb')), { textured: null, lod: null });
  assert.deepEqual(look('pnts', '{"lod":[1]}', Buffer.alloc(0)), { textured: false, lod: 1 });
  const elsewhere = tableTile('i3dm', { batch: '{"lod":[1]}', payload: text(model) });
  new DataView(elsewhere.buffer, elsewhere.byteOffset).setUint32(28, 0, true);
  assert.deepEqual(lookInto(elsewhere), { textured: null, lod: 1 });
});

test('a composite looks as any of its tiles does, and holds others sixteen deep at most', () => {
  const plain = tableTile('b3dm', { batch: '{"lod":[2]}', payload: text(glb(PLAIN)) });
  const textured = tableTile('b3dm', { batch: '{"lod":[1]}', payload: text(glb(TEXTURED)) });
  assert.deepEqual(lookInto(composite([plain, textured])), { textured: true, lod: 2 });
  assert.deepEqual(lookInto(composite([textured, plain])), { textured: true, lod: 2 });
  assert.deepEqual(lookInto(composite([plain])), { textured: false, lod: 2 });
  assert.deepEqual(lookInto(composite([])), { textured: null, lod: null });
  const within = (depth: number) =>
    Array.from({ length: depth }).reduce<Uint8Array>((tile) => composite([tile]), textured);
  assert.deepEqual(lookInto(within(16)), { textured: true, lod: 1 });
  assert.throws(() => lookInto(within(17)), {
    name: 'ContentError',
    message: 'The cmpt holds others more than 16 deep.',
  });
});
