/** Tiles as GLB, read by glTF-Transform and looked at by the validator of Khronos. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Document, Logger, type Material, NodeIO } from '@gltf-transform/core';
import {
  EXTMeshoptCompression,
  EXTTextureWebP,
  KHRDracoMeshCompression,
  KHRMaterialsUnlit,
  KHRMeshQuantization,
} from '@gltf-transform/extensions';
import draco from 'draco3d';
import { MeshoptDecoder } from 'meshoptimizer';
import sharp from 'sharp';
import { validateContent } from '../../testing/validate-content.ts';
import { readGlb } from '../../tile-content.ts';
import { loadDraco } from '../mesh/draco.ts';
import type { TriangleMesh } from '../mesh/mesh-builder.ts';
import { loadMeshopt } from '../mesh/meshopt.ts';
import { type GlbOptions, type TileImage, type TileModel, type TilePrimitive, writeTileGlb } from './glb.ts';

type Kind = GlbOptions['compression']['kind'];

/** Sloping squares in a row, two triangles each; every second has a feature of its own. */
function squaresOf(count: number, more: Partial<TriangleMesh> = {}): TriangleMesh {
  const vertices = Array.from({ length: 4 * count }, (_, i) => [
    2 * Math.floor(i / 4) + (i & 1),
    i % 3,
    -((i >> 1) & 1),
  ]);
  const corners = [0, 1, 2, 1, 3, 2];
  return {
    positions: Float32Array.from(vertices.flat()),
    normals: Float32Array.from(vertices.flatMap(() => [0, 1, 0])),
    ...{ uvs: null, colours: null },
    features: Uint16Array.from(vertices, (_, i) => Math.floor(i / 8)),
    indices: Uint32Array.from({ length: 6 * count }, (_, i) => 4 * Math.floor(i / 6) + corners[i % 6]!),
    ...more,
  };
}

const PLAIN: Omit<TilePrimitive, 'mesh'> = { image: null, blend: false, isTwoSided: false, table: 0 };
const modelOf = (primitives: TilePrimitive[], images: TileImage[] = []): TileModel => ({
  ...{ translation: [7, 8, 9], primitives, images, places: [] },
  tables: [
    {
      ...{ type: 'bldg:Building', count: 3 },
      columns: [{ name: 'gml_id', type: 'STRING', values: ['a', 'b', 'c'] }],
    },
  ],
});

async function write(model: TileModel, kind: Kind = 'none', more: Partial<GlbOptions> = {}) {
  const compression =
    kind === 'draco'
      ? { kind, module: await loadDraco() }
      : kind === 'meshopt'
        ? { kind, encoder: await loadMeshopt() }
        : { kind };
  return writeTileGlb(model, {
    ...{ compression, error: 0.005, uvError: 0.001, tables: true, unlit: false },
    ...more,
  })!;
}

async function documentOf(glb: Uint8Array): Promise<Document> {
  const io = new NodeIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .registerExtensions([
      ...[KHRDracoMeshCompression, EXTMeshoptCompression, EXTTextureWebP],
      ...[KHRMeshQuantization, KHRMaterialsUnlit],
    ])
    .registerDependencies({
      'draco3d.decoder': await draco.createDecoderModule({}),
      'meshopt.decoder': MeshoptDecoder,
    });
  return io.readBinary(glb);
}

async function imageOf(more: Partial<TileImage> = {}): Promise<TileImage> {
  const picture = sharp({ create: { width: 2, height: 2, channels: 3, background: '#808080' } });
  const bytes = await (more.mimeType === 'image/png' ? picture.png() : picture.webp()).toBuffer();
  return { bytes, mimeType: 'image/webp', repeats: false, seeThrough: false, ...more };
}

async function assertValid(glb: Uint8Array): Promise<void> {
  const found: string[] = [];
  await validateContent(
    glb,
    (code, severity, message) => {
      if (severity !== 'info') found.push(`${code}: ${message}`);
    },
    () => assert.fail('nothing lies beside it'),
  );
  assert.deepEqual(found, []);
}

for (const kind of ['none', 'draco', 'meshopt'] as const) {
  test(`triangles come back with all that their vertices have: ${kind}`, async () => {
    const uvs = Float32Array.from({ length: 24 }, (_, i) => (i % 5) / 4);
    const colours = Uint8Array.from({ length: 48 }, (_, i) => (i % 4 === 3 ? 255 : 10 * (i % 12)));
    const mesh = squaresOf(3, { uvs, colours });
    const image = await imageOf();
    const glb = await write(modelOf([{ ...PLAIN, mesh, image: 0 }], [image]), kind);
    await assertValid(glb);
    const document = await documentOf(glb);
    const [node] = document.getRoot().listNodes();
    assert.deepEqual(node!.getTranslation(), [7, 8, 9]);
    const [primitive, ...others] = node!.getMesh()!.listPrimitives();
    assert.equal(others.length, 0);
    const corners = (name: string, steps: number) => {
      const accessor = primitive!.getAttribute(name)!;
      return Array.from(primitive!.getIndices()!.getArray()!, (index) =>
        accessor.getElement(index, []).map((value) => Math.round(value * steps) / steps + 0),
      );
    };
    const expected = (values: ArrayLike<number>, width: number, scale = 1, steps = 100) =>
      Array.from(mesh.indices, (index) =>
        Array.from(
          { length: width },
          (_, k) => Math.round((values[width * index + k]! / scale) * steps) / steps + 0,
        ),
      );
    // Triangles come in another order, and begin with another corner.
    const sorted = (values: number[][]) => values.map((value) => value.join(' ')).sort();
    assert.deepEqual(sorted(corners('POSITION', 100)), sorted(expected(mesh.positions, 3)));
    assert.deepEqual(sorted(corners('NORMAL', 10)), sorted(expected(mesh.normals, 3, 1, 10)));
    assert.deepEqual(sorted(corners('TEXCOORD_0', 100)), sorted(expected(uvs, 2)));
    assert.deepEqual(sorted(corners('COLOR_0', 100)), sorted(expected(colours, 4, 255)));
    assert.deepEqual(sorted(corners('_FEATURE_ID_0', 1)), sorted(expected(mesh.features, 1)));
    const { json } = readGlb(glb);
    const [mesh0] = json.meshes as Array<{ primitives: Array<{ extensions: Record<string, unknown> }> }>;
    const { extensions } = mesh0!.primitives[0]!;
    assert.deepEqual(extensions.EXT_mesh_features, {
      featureIds: [{ featureCount: 2, attribute: 0, propertyTable: 0 }],
    });
    const packing = {
      none: [],
      draco: ['KHR_draco_mesh_compression'],
      meshopt: ['EXT_meshopt_compression', 'KHR_mesh_quantization'],
    }[kind];
    assert.deepEqual(json.extensionsRequired, [...packing, 'EXT_texture_webp'].sort());
    assert.deepEqual(
      json.extensionsUsed,
      [...packing, 'EXT_texture_webp', 'EXT_mesh_features', 'EXT_structural_metadata'].sort(),
    );
  });
}

test('without tables features are those of a batch, and nothing more is used', async () => {
  const plain = modelOf([{ ...PLAIN, mesh: squaresOf(3) }]);
  for (const kind of ['none', 'draco', 'meshopt'] as const) {
    const glb = await write(plain, kind, { tables: false });
    const [primitive] = (await documentOf(glb)).getRoot().listMeshes()[0]!.listPrimitives();
    assert.deepEqual(primitive!.listSemantics().sort(), ['NORMAL', 'POSITION', '_BATCHID'], kind);
    const { json } = readGlb(glb);
    assert.equal(json.extensions, undefined);
    const [written] = (json.meshes as Array<{ primitives: object[] }>)[0]!.primitives;
    assert.deepEqual('extensions' in written!, kind === 'draco');
    if (kind === 'draco') {
      const own = ['KHR_draco_mesh_compression'];
      assert.deepEqual(Object.keys((written as { extensions: object }).extensions), own);
      assert.deepEqual([json.extensionsUsed, json.extensionsRequired], [own, own]);
    }
    const buffers = json.buffers as object[];
    assert.equal(buffers.length, kind === 'meshopt' ? 2 : 1);
    // Readers that know the extension never ask for what lies in the second buffer.
    if (kind === 'meshopt') {
      const { extensions } = buffers[1] as { extensions: object };
      assert.deepEqual(extensions, { EXT_meshopt_compression: { fallback: true } });
    }
    if (kind === 'none')
      assert.deepEqual([json.extensionsUsed, json.extensionsRequired], [undefined, undefined]);
  }
  assert.equal(writeTileGlb(modelOf([]), { tables: false } as GlbOptions), null);
});

test('indices have 16 bits up to 65,535 vertices', async () => {
  for (const [vertices, component] of [
    [65_535, 5123],
    [65_536, 5125],
  ] as const) {
    const mesh: TriangleMesh = {
      positions: new Float32Array(3 * vertices).map((_, i) => (i % 3 === 0 ? i / 3 : i % 2)),
      normals: new Float32Array(3 * vertices).map((_, i) => (i % 3 === 1 ? 1 : 0)),
      ...{ uvs: null, colours: null, features: new Uint16Array(vertices) },
      indices: Uint32Array.of(0, 1, vertices - 1),
    };
    const glb = await write(modelOf([{ ...PLAIN, mesh }]), 'none', { tables: false });
    const { accessors } = readGlb(glb).json as { accessors: Array<{ componentType: number; count: number }> };
    assert.deepEqual([accessors.at(-1)!.componentType, accessors.at(-1)!.count], [component, 3]);
    const [primitive] = (await documentOf(glb)).getRoot().listMeshes()[0]!.listPrimitives();
    assert.deepEqual([...primitive!.getIndices()!.getArray()!], [0, 1, vertices - 1]);
  }
});

test('a material says what is seen through, what is seen from both sides, and what is lit', async () => {
  const images = [await imageOf(), await imageOf({ seeThrough: true })];
  const uvs = new Float32Array(8);
  const mesh = squaresOf(1, { uvs });
  const cases: Array<[Partial<TilePrimitive>, alpha: string, isTwoSided: boolean]> = [
    [{}, 'OPAQUE', false],
    [{ isTwoSided: true }, 'OPAQUE', true],
    [{ blend: true }, 'BLEND', true],
    [{ image: 0 }, 'OPAQUE', false],
    [{ image: 0, isTwoSided: true }, 'OPAQUE', true],
    [{ image: 1 }, 'MASK', true],
    [{ image: 1, blend: true }, 'BLEND', true],
  ];
  // The first two again: what looks the same is one material.
  const primitives = [...cases, ...cases.slice(0, 2)].map(([part]) => ({ ...PLAIN, mesh, ...part }));
  for (const unlit of [false, true]) {
    const glb = await write(modelOf(primitives, images), 'none', { unlit });
    await assertValid(glb);
    const document = await documentOf(glb);
    const root = document.getRoot();
    const look = (material: Material) => [material.getAlphaMode(), material.getDoubleSided()];
    const used = root
      .listMeshes()[0]!
      .listPrimitives()
      .map((primitive) => primitive.getMaterial()!);
    assert.deepEqual(
      used.map(look),
      [...cases, ...cases.slice(0, 2)].map(([, alpha, isTwoSided]) => [alpha, isTwoSided]),
    );
    assert.equal(root.listMaterials().length, cases.length);
    assert.deepEqual([used[7], used[8]], [used[0], used[1]]);
    for (const [i, [{ image }]] of cases.entries()) {
      const material = used[i]!;
      const texture = material.getBaseColorTexture();
      assert.deepEqual(texture, image == null ? null : root.listTextures()[image]);
      assert.equal(material.getExtension('KHR_materials_unlit') !== null, unlit && image != null);
      assert.deepEqual([material.getMetallicFactor(), material.getRoughnessFactor()], [0, 1]);
    }
    assert.equal((readGlb(glb).json.extensionsUsed as string[]).includes('KHR_materials_unlit'), unlit);
  }
});

test('images keep their bytes and their kind, and repeat or end at their edges', async () => {
  const images = [
    await imageOf({ repeats: true }),
    await imageOf({ mimeType: 'image/png' }),
    await imageOf({ repeats: true, mimeType: 'image/png' }),
    await imageOf(),
  ];
  const mesh = squaresOf(1, { uvs: new Float32Array(8) });
  const glb = await write(
    modelOf(
      images.map((_, image) => ({ ...PLAIN, mesh, image })),
      images,
    ),
  );
  await assertValid(glb);
  const document = await documentOf(glb);
  const found = document
    .getRoot()
    .listMeshes()[0]!
    .listPrimitives()
    .map((primitive) => {
      const material = primitive.getMaterial()!;
      const texture = material.getBaseColorTexture()!;
      const info = material.getBaseColorTextureInfo()!;
      return {
        ...{ bytes: Buffer.from(texture.getImage()!), mimeType: texture.getMimeType() },
        wraps: [info.getWrapS(), info.getWrapT()],
        filters: [info.getMagFilter(), info.getMinFilter()],
      };
    });
  assert.deepEqual(
    found,
    images.map(({ bytes, mimeType, repeats }) => ({
      ...{ bytes: Buffer.from(bytes), mimeType },
      wraps: repeats ? [10497, 10497] : [33071, 33071],
      filters: [9729, 9987],
    })),
  );
  assert.equal((readGlb(glb).json.samplers as unknown[]).length, 2);
  const png = await write(modelOf([{ ...PLAIN, mesh, image: 0 }], [images[1]!]));
  assert.deepEqual(readGlb(png).json.extensionsRequired, undefined);
});

test('parts of a file begin on eight bytes, blanks follow the JSON, and headers have the lengths', async () => {
  const lengths = new Set<number>();
  for (let digits = 1; digits <= 9; digits++) {
    const model = {
      ...modelOf([{ ...PLAIN, mesh: squaresOf(1) }]),
      translation: [Number('1'.repeat(digits)), 0, 0],
    };
    const glb = Buffer.from(await write(model as TileModel));
    assert.deepEqual(
      [glb.toString('latin1', 0, 4), glb.readUInt32LE(4), glb.readUInt32LE(8), glb.length % 8],
      ['glTF', 2, glb.length, 0],
    );
    const length = glb.readUInt32LE(12);
    assert.equal(glb.toString('latin1', 16, 20), 'JSON');
    const text = glb.toString('utf8', 20, 20 + length);
    const json = JSON.parse(text) as { buffers: Array<{ byteLength: number }> };
    assert.match(text, /\} {0,7}$/);
    const bin = 20 + length;
    assert.equal((bin + 8) % 8, 0);
    assert.deepEqual(
      [glb.toString('latin1', bin + 4, bin + 8), glb.readUInt32LE(bin), bin + 8 + glb.readUInt32LE(bin)],
      ['BIN\0', json.buffers[0]!.byteLength, glb.length],
    );
    lengths.add(text.trimEnd().length % 8);
  }
  assert.equal(lengths.size, 8, 'texts of all lengths');
});
