import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { test } from 'node:test';
import { DATA } from '@citymodel/citygml/testing';
import { lookInto } from '../look-into.ts';
import { outputSuffix } from '../part-maker.ts';
import { gmlSource, gmlSources } from '../read/testing/gml-source.ts';
import { fixture } from '../tiles3d/testing/fixture-gml.ts';
import { vectorMaker } from './maker.ts';
import { holdsSymbols } from './map-symbols.ts';
import { contentOf, makeVectorTiles } from './testing/made-tiles.ts';

const LINE =
  '<gml:MultiCurve><gml:curveMember><gml:LineString><gml:posList>35.68 139.77 0 35.6805 139.7705 0</gml:posList>' +
  '</gml:LineString></gml:curveMember></gml:MultiCurve>';
const POINT = '<gml:Point><gml:pos>35.6802 139.7702 0</gml:pos></gml:Point>';
const code = (name: string, value: string) =>
  `<uro:${name} codeSpace="../../codelists/Common_${name}.xml">${value}</uro:${name}>`;
const SHAPE =
  `<uro:DmGeometricAttribute>${code('dmCode', '3001')}<uro:dmElement><uro:DmElement>` +
  `<uro:elementKey>7</uro:elementKey></uro:DmElement></uro:dmElement>${code('geometryType', 'E2')}` +
  `${code('mapLevel', '2500')}${code('shapeType', '0')}<uro:lod0Geometry>${LINE}</uro:lod0Geometry>` +
  `</uro:DmGeometricAttribute>`;
const TEXT =
  `<uro:DmAnnotation>${code('dmCode', '8142')}${code('geometryType', 'E7')}${code('shapeType', '0')}` +
  `<uro:label>橋</uro:label><uro:isVertical>false</uro:isVertical><uro:size>30</uro:size>` +
  `<uro:orientation>45</uro:orientation><uro:linewidth>2</uro:linewidth><uro:spacing>1</uro:spacing>` +
  `<uro:lod0anchorPoint>${POINT}</uro:lod0anchorPoint></uro:DmAnnotation>`;

const attribute = (name: string, ...symbols: string[]) =>
  symbols.map((symbol) => `<uro:${name}DmAttribute>${symbol}</uro:${name}DmAttribute>`).join('');
const member = (text: string) => `<core:cityObjectMember>${text}</core:cityObjectMember>`;
const FURNITURE = member(
  `<frn:CityFurniture gml:id="f"><frn:function codeSpace="a.xml">1000</frn:function>` +
    `${attribute('frn', SHAPE, TEXT, SHAPE)}</frn:CityFurniture>`,
);

test('shapes and texts of map symbols have packages of their own, with the columns of their feature', async () => {
  const { packages, issues } = await makeVectorTiles([
    fixture([FURNITURE], { path: 'udx/frn/53394525_frn_6697_op.gml' }),
  ]);
  assert.deepEqual(issues, []);
  assert.deepEqual([...packages.keys()].sort(), ['frn_dm_annotations', 'frn_dm_geometric_attributes']);
  const shapes = contentOf(packages.get('frn_dm_geometric_attributes')!, 16).get('CityFurniture')!;
  const shape = shapes.features.get('f')!;
  const { attributes, dm_attributes: own, ...rest } = shape;
  assert.deepEqual(rest, {
    meshcode: '53394525',
    feature_type: 'frn:CityFurniture',
    city_code: '13101',
    city_name: '沼津市',
    gml_id: 'f',
    frn_function: '1000',
    frn_function_code: '1000',
    dm_feature_type: 'DmGeometricAttribute',
    dm_dmCode: '3001',
    dm_dmCode_code: '3001',
    dm_geometryType: 'E2',
    dm_geometryType_code: 'E2',
    dm_mapLevel: '2500',
    dm_mapLevel_code: '2500',
    dm_shapeType: '0',
    dm_shapeType_code: '0',
  });
  assert.equal(JSON.parse(String(attributes))['uro:frnDmAttribute'].length, 3);
  assert.deepEqual(JSON.parse(String(own))['uro:dmElement'], { 'uro:elementKey': '7' });
  const texts = contentOf(packages.get('frn_dm_annotations')!, 16).get('CityFurniture')!.features;
  const { attributes: _a, dm_attributes: _b, ...label } = texts.get('f')!;
  assert.deepEqual(Object.fromEntries(Object.entries(label).filter(([name]) => name.startsWith('dm_'))), {
    ...{ dm_feature_type: 'DmAnnotation', dm_dmCode: '8142', dm_dmCode_code: '8142' },
    ...{ dm_geometryType: 'E7', dm_geometryType_code: 'E7', dm_shapeType: '0', dm_shapeType_code: '0' },
    ...{ dm_label: '橋', dm_isVertical: 'false', dm_size: 30, dm_orientation: 45 },
    ...{ dm_linewidth: 2, dm_spacing: 1 },
  });
  // Maps write texts and choose symbols at all zooms.
  const coarse = contentOf(packages.get('frn_dm_annotations')!, 10).get('CityFurniture')!.features;
  assert.deepEqual(
    [...coarse.values()].map(({ dm_label: text, dm_orientation: angle }) => [text, angle]),
    [['橋', 45]],
  );
});

test('packages by class have symbols by class, and what looking through the text foresees is made', async () => {
  const pipe = (type: string, symbol: string) =>
    member(`<uro:${type} gml:id="${type}">${attribute('frn', symbol)}</uro:${type}>`);
  const cases: Array<[path: string, members: string[], expected: string[]]> = [
    [
      'udx/unf/53394525_unf_6697_op.gml',
      [pipe('WaterPipe', SHAPE), pipe('Manhole', TEXT)],
      ['unf_Manhole_dm_annotations', 'unf_WaterPipe_dm_geometric_attributes'],
    ],
    ['udx/frn/53394525_frn_6697_op.gml', [FURNITURE.replace(/<uro:frnDm.*<\/uro:frnDmAttribute>/s, '')], []],
    // A symbol is no geometry of the feature.
    [
      'udx/wtr/53394525_wtr_6697_op.gml',
      [member(`<wtr:WaterBody gml:id="w">${attribute('wtr', SHAPE)}</wtr:WaterBody>`)],
      ['wtr_dm_geometric_attributes'],
    ],
  ];
  for (const [path, members, expected] of cases) {
    const gml = fixture(members, { path });
    const { packages } = await makeVectorTiles([gml]);
    assert.deepEqual([...packages.keys()].sort(), expected);
    const content = await lookInto(gml.text(), () => {});
    const { options } = { options: { lods: null } as Parameters<typeof vectorMaker.foresee>[1] };
    const foreseen = vectorMaker.foresee(gml, options, content, gml.package);
    assert.deepEqual(foreseen.map((key) => outputSuffix(key)).sort(), expected, path);
  }
});

test('the symbols of CityGML 3.0 stand in hooks of another module', async () => {
  const hook = (symbol: string) =>
    `<core:adeOfAbstractCityObject>${symbol.replaceAll('uro:', 'urc:')}</core:adeOfAbstractCityObject>`;
  const furniture = member(`<frn:CityFurniture gml:id="f">${hook(SHAPE)}${hook(TEXT)}</frn:CityFurniture>`);
  const { packages } = await makeVectorTiles([
    fixture([furniture], { path: 'udx/frn/53394525_frn_6697_op.gml' }),
  ]);
  const rows = [...packages.values()].map(
    (files) => contentOf(files, 16).get('CityFurniture')!.features.get('f')!.dm_dmCode,
  );
  assert.deepEqual(rows.sort(), ['3001', '8142']);
});

test('a name that is cut by the end of a chunk is found', async () => {
  const text = Buffer.from('<a><uro:DmAnnotation/></a>');
  const path = 'udx/frn/53394525_frn_6697_op.gml';
  for (let chunk = 1; chunk <= text.length; chunk++) {
    assert.equal(await holdsSymbols(gmlSource(path, new Map([[path, text]]), { chunk })), true, `${chunk}`);
    const other = new Map([[path, Buffer.from(text.toString().replace('Annotation', 'Annotatiom'))]]);
    assert.equal(await holdsSymbols(gmlSource(path, other, { chunk })), false);
  }
});

test('every symbol of real packages that has a shape is a feature', { skip: !existsSync(DATA) }, async () => {
  let drawn = 0;
  for (const zip of globSync(
    `${DATA}{packages/{08220,13999},conversion/{03,07-tun,09}}*/**/*.zip`,
    {},
  ).concat(globSync(`${DATA}packages/{08220,13999}*.zip`))) {
    if (zip.includes('/published/')) continue;
    for (const gml of await gmlSources(zip)) {
      if (!(await holdsSymbols(gml))) continue;
      let text = '';
      for await (const chunk of gml.text()) text += Buffer.from(chunk).toString('latin1');
      const written = text.match(
        /<uro:Dm(?:GeometricAttribute|Annotation)>(?:(?!<\/uro:Dm[GA]).)*<uro:lod0(?:Geometry|anchorPoint)>/gs,
      );
      const { packages, issues } = await makeVectorTiles([gml]);
      const unseen = issues.filter(({ code }) => code !== 'CRS_UNKNOWN');
      assert.deepEqual(unseen, [], gml.path);
      let found = 0;
      for (const [name, files] of packages) {
        if (!name.includes('_dm_')) continue;
        const ids = new Set(
          [...contentOf(files, 16).values()].flatMap(({ features }) => [...features.keys()]),
        );
        const counts = JSON.parse(String(files.get('metadata.json'))).json;
        for (const { count } of JSON.parse(counts).tilestats.layers) found += count;
        assert.ok(ids.size > 0, name);
      }
      assert.equal(found, written?.length ?? 0, gml.path);
      drawn += found;
    }
  }
  assert.ok(drawn >= 30, `${drawn}`);
});
