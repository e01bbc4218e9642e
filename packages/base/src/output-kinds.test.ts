import assert from 'node:assert/strict';
import test from 'node:test';
import {
  EVERY_OUTPUT_KIND,
  FILES_OF_OUTPUTS,
  factsOfFormat,
  kindOfFormat,
  OUTPUT_KINDS,
  packageKindLabel,
  specPath,
  TILE_FORMATS,
} from './output-kinds.ts';

test('each kind has the words by which callers, rows and files know it', () => {
  assert.deepEqual(EVERY_OUTPUT_KIND, ['3dtiles', 'mvt']);
  assert.deepEqual(TILE_FORMATS, ['3D Tiles', 'MVT']);
  const { files: _, ...tiles } = OUTPUT_KINDS['3dtiles'];
  assert.deepEqual(tiles, {
    format: '3D Tiles',
    graphql: 'CESIUM3DTILES',
    label: { ja: '3D Tiles', en: '3D Tiles' },
    document: 'tileset.json',
    sign: 'tileset.json',
    idSuffix: '',
    isTextured: true,
    hasVersion: true,
    hasLayers: false,
    isComposed: true,
    showsLod: true,
    view: '3d',
  });
  const { files: __, ...vector } = OUTPUT_KINDS.mvt;
  assert.deepEqual(vector, {
    format: 'MVT',
    graphql: 'MVT',
    label: { ja: 'MVT', en: 'MVT' },
    document: 'tilejson.json',
    sign: '{z}/{x}/{y}.mvt',
    idSuffix: '_mvt',
    isTextured: false,
    hasVersion: false,
    hasLayers: true,
    isComposed: false,
    showsLod: false,
    view: 'map',
  });
});

test('files have the types that IANA lists, and those with addresses of others in them say so', () => {
  const registered = {
    glb: 'model/gltf-binary',
    gltf: 'model/gltf+json',
    mvt: 'application/vnd.mapbox-vector-tile',
    pbf: 'application/vnd.mapbox-vector-tile',
  };
  const types = Object.fromEntries(FILES_OF_OUTPUTS.map(([ending, { type }]) => [ending, type]));
  const binary = ['b3dm', 'i3dm', 'pnts', 'cmpt', 'subtree'].map((e) => [e, 'application/octet-stream']);
  assert.deepEqual(types, { ...Object.fromEntries(binary), ...registered });
  // 3D Tiles 1.0, Instanced 3D Model: the glTF may be a URI; a composite holds such tiles. glTF 2.0: buffers, images.
  const naming = FILES_OF_OUTPUTS.filter(([, { namesOthers }]) => namesOthers).map(([ending]) => ending);
  assert.deepEqual(naming.sort(), ['cmpt', 'gltf', 'i3dm']);
});

test('a kind is found by its word in catalogue rows, and names documents and packages', () => {
  for (const kind of EVERY_OUTPUT_KIND) {
    assert.equal(kindOfFormat(OUTPUT_KINDS[kind].format), kind);
    assert.equal(factsOfFormat(OUTPUT_KINDS[kind].format), OUTPUT_KINDS[kind]);
  }
  assert.equal(specPath('3dtiles', '13101-bldg'), '/datacatalog/3dtiles/13101-bldg/tileset.json');
  assert.equal(specPath('mvt', '13101-luse'), '/datacatalog/mvt/13101-luse/tilejson.json');
  assert.deepEqual(
    (['citygml', '3dtiles', 'mvt'] as const).map((kind) => packageKindLabel(kind)),
    ['CityGML', '3D Tiles', 'MVT'],
  );
  assert.equal(packageKindLabel('mvt', 'ja'), 'MVT');
});
