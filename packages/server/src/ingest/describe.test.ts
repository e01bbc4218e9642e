import assert from 'node:assert/strict';
import { it, describe as suite } from 'node:test';
import { isGmlPath, parseGmlName } from '@citymodel/citygml';
import type { PackageRow } from '@citymodel/store';
import { packageOf } from '@citymodel/store/testing';
import { collectIssues, memoryFiles, writeB3dm, writeGlb, writeMvt } from '@citymodel/tiles/testing';
import { describe } from './describe.ts';
import { identify, type Overrides } from './identify.ts';
import { findLayout } from './layout.ts';
import { Standing } from './standing.ts';
import { OverBudget, PackageRefused } from './upload.ts';

const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op';
const GML = 'udx/bldg/53394509_bldg_6697_op.gml';
const VOLUME = { region: [2.4388, 0.6226, 2.4395, 0.6232, 0, 100] };

const tileset = (content: object, more: object = {}) => ({
  asset: { version: '1.1' },
  geometricError: 5,
  root: { boundingVolume: VOLUME, geometricError: 1, refine: 'ADD', content },
  ...more,
});

async function describing(
  name: string,
  contents: Record<string, unknown>,
  {
    overrides = {},
    source = null,
    iurVersions = [],
  }: { overrides?: Overrides; source?: PackageRow | null; iurVersions?: string[] } = {},
) {
  const layout = findLayout(Object.keys(contents), name);
  const { sink, issues } = collectIssues();
  const paths = Object.keys(contents).filter(isGmlPath);
  const built = {
    files: memoryFiles(contents),
    types: new Set(paths.map((path) => parseGmlName(path).type)),
    bounds: null,
    index: { members: () => [] } as never,
    features: 0,
    gmlFiles: { count: paths.length } as never,
    iurVersions,
  };
  const identity = identify([name], layout, overrides);
  const catalogue = {
    findPackages: async () => (source === null ? [] : [source]),
    gmlFiles: async () => [{ maxLod: 1 }, { maxLod: 3 }] as never,
    issues: async () => [],
  };
  const description = await describe(identity, layout, built, {
    overrides,
    now: new Date(Date.UTC(2024, 2, 31)),
    issue: sink,
    standing: await Standing.of(catalogue, identity, false),
  });
  return { ...description, issues };
}

suite('the description of a CityGML package', () => {
  it('has types, files and what was guessed', async () => {
    const found = await describing(NAME, { [GML]: '', 'udx/tran/53394509_tran_6697_op.gml': '' });
    assert.deepEqual([found.types, found.files, found.spec], [['bldg', 'tran'], 2, '3.0']);
    assert.deepEqual([found.pref, found.city, found.registrationYear], ['東京都', '千代田区', 2023]);
    assert.deepEqual(found.guessed, ['spec', 'registrationYear']);
  });

  it('has the specification of the highest i-UR, number by number, unless metadata or operator say one', async () => {
    const spec = async (iurVersions: string[], overrides: Overrides = {}) =>
      (await describing(NAME, { [GML]: '' }, { iurVersions, overrides })).spec;
    assert.equal(await spec(['1.4', '3.1', '2.0']), '4.0');
    assert.equal(await spec(['3.10', '3.2']), '3.0', 'by the year where the version is not known yet');
    assert.equal(await spec(['3.1'], { spec: '9.9' }), '9.9');
    assert.equal(await spec(['3.2', '4.0']), '6');
    assert.equal(await spec(['5.0', '4.0']), '6', 'a version after all that are known');
    assert.equal(await spec(['10.0']), '6');
  });
});

suite('the description of tiles', () => {
  const TILES = `${NAME}_bldg_3dtiles_lod2`;

  it('has what the tileset and the name say', async () => {
    const { dataset, guessed, files } = await describing(TILES, {
      'tileset.json': tileset({ uri: 'a.b3dm' }),
    });
    assert.deepEqual(
      [dataset?.format, dataset?.type, dataset?.lod, dataset?.formatVersion],
      ['3D Tiles', 'bldg', 2, '1.1'],
    );
    assert.deepEqual(
      [dataset?.entry, dataset?.geometricError, files],
      ['tileset.json', 5, 0],
      'tiles that are there are counted',
    );
    assert.deepEqual(guessed, ['spec', 'registrationYear']);
  });

  it('takes type and LOD from properties and from the CityGML of the same city where the name lacks them', async () => {
    const properties = { 'tran:function': {}, tran_class: {}, 'bldg:usage': {} };
    const contents = { 'tileset.json': tileset({ uri: 'a.b3dm' }, { properties }) };
    const source = {
      ...packageOf('p1', { spec: '4.1', license: 'CC BY', guessed: [] }),
      state: 'live',
    } as unknown as PackageRow;
    const found = await describing(NAME, contents, { source });
    assert.deepEqual([found.dataset?.type, found.dataset?.lod], ['tran', 3]);
    assert.deepEqual([found.spec, found.license], ['4.1', 'CC BY']);
    assert.ok(found.guessed.includes('type') && found.guessed.includes('lod'));
    assert.equal((await describing(NAME, contents)).dataset?.lod, null);
  });

  it('is textured as the tiles are, wherever among them the only image is', async () => {
    const tiles = (images: readonly number[]) => {
      const contents: Record<string, unknown> = {};
      const children = [];
      for (let i = 0; i < 20; i++) {
        contents[`${i}.glb`] = writeGlb({ textured: images.includes(i) });
        children.push({ boundingVolume: VOLUME, geometricError: 0, content: { uri: `${i}.glb` } });
      }
      const root = { boundingVolume: VOLUME, geometricError: 1, refine: 'ADD', children };
      return { ...contents, 'tileset.json': { asset: { version: '1.1' }, geometricError: 5, root } };
    };
    const plain = `${TILES}_no_texture`;
    for (const [name, images, texture, codes] of [
      [TILES, [0], true, []],
      [TILES, [12], true, []],
      [TILES, [], false, ['TEXTURE_DIFFERS']],
      [plain, [], false, []],
      [plain, [12], true, ['TEXTURE_DIFFERS']],
    ] as const) {
      const { dataset, issues, files } = await describing(name, tiles(images));
      assert.equal(dataset?.texture, texture, `${name} ${images}`);
      assert.deepEqual(
        issues.map(({ code }) => code),
        codes,
      );
      assert.equal(files, 20);
      const [says, seen] =
        images.length > 0 ? ['not textured', 'have images'] : ['textured', 'have no image'];
      for (const { severity, member, message } of issues) {
        assert.deepEqual([severity, member], ['info', null]);
        assert.equal(
          message,
          `The name says that the tiles are ${says}; the tiles ${seen}, and so the catalogue says.`,
        );
      }
    }
    const described = await describing(TILES, tiles([]), { overrides: { texture: true } });
    assert.deepEqual([described.dataset?.texture, described.issues], [true, []]);
    assert.equal(
      (await describing(TILES, { 'tileset.json': tileset({ uri: 'a.glb' }) })).dataset?.texture,
      true,
    );
  });

  it('has the LOD that all tiles together name, with a warning where the name says another', async () => {
    const tiles = (...lods: string[]) => ({
      ...Object.fromEntries(
        lods.map((lod, i) => [`${i}.b3dm`, writeB3dm(writeGlb({ textured: true }), { _lod: [lod] }, 1)]),
      ),
      'tileset.json': tileset({ uri: '0.b3dm' }),
    });
    const describedBy = async (name: string, contents: object, overrides: Overrides = {}) => {
      const { dataset, issues } = await describing(name, contents as Record<string, unknown>, { overrides });
      return [
        dataset?.lod,
        dataset?.lodEx,
        issues.map(({ code }) => code).filter((code) => code === 'LOD_DIFFERS'),
      ];
    };
    assert.deepEqual(await describedBy(TILES, tiles('1', '2')), [2, null, []]);
    assert.deepEqual(await describedBy(TILES, tiles('1', '1')), [1, null, ['LOD_DIFFERS']]);
    assert.deepEqual(await describedBy(TILES, tiles('1', '3')), [3, null, ['LOD_DIFFERS']]);
    assert.deepEqual(await describedBy(TILES, tiles('1'), { lod: 2 }), [2, null, []]);
    assert.deepEqual(await describedBy(`${NAME}_tran_3dtiles_lod33`, tiles('3')), [3, 33, []]);
    assert.deepEqual(await describedBy(`${NAME}_tran_3dtiles_lod33`, tiles('2')), [2, null, ['LOD_DIFFERS']]);
  });

  it('of vector tiles has their layers and zooms', async () => {
    const tile = writeMvt({ roof: { points: [{ x: 1, y: 1, tags: { tran_class: 1 } }] } });
    const { dataset, bounds } = await describing(NAME, { '10/909/403.mvt': tile });
    assert.deepEqual([dataset?.format, dataset?.type, dataset?.entry], ['MVT', 'tran', '{z}/{x}/{y}.mvt']);
    assert.deepEqual([dataset?.minzoom, dataset?.maxzoom, dataset?.texture], [10, 10, false]);
    assert.ok(bounds!.west > 139 && bounds!.east < 140);
  });

  it('refuses tiles without an entry, of other hosts, and beyond every size', async () => {
    const refused = (contents: Record<string, unknown>, code: string) =>
      assert.rejects(
        describing(TILES, contents),
        (error) => error instanceof PackageRefused && error.code === code,
      );
    await refused({ 'tileset.json': '[]' }, 'NO_TILESET');
    await refused({ '1/1/1.mvt': 'x' }, 'NO_TILES');
    for (const uri of [
      'https://evil.example/a',
      '//evil.example/a',
      '\\\\evil.example\\a',
      ' javascript:alert(1)',
    ]) {
      await refused({ 'tileset.json': tileset({ uri }) }, 'FOREIGN_CONTENT');
    }
    await describing(TILES, { 'tileset.json': tileset({ uri: '/a.b3dm' }) });
    const nested = {
      'tileset.json': tileset({ uri: 'b/more.json' }),
      'b/more.json': Buffer.alloc(33 << 20, ' '),
    };
    await assert.rejects(
      describing(TILES, nested),
      (error) => error instanceof OverBudget && error.issue().member === 'b/more.json',
    );
  });
});
