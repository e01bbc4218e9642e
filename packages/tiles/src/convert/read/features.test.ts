import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { test } from 'node:test';
import { DATA, slowFeatures } from '@citymodel/citygml/testing';
import fc from 'fast-check';
import type { ConvertIssue } from '../part-maker.ts';
import { readGml } from './features.ts';
import { gmlSource, gmlSources } from './testing/gml-source.ts';

const ROOT =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
  'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:app="http://www.opengis.net/citygml/appearance' +
  '/2.0">';
const ENVELOPE =
  '<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"/>' +
  '</gml:boundedBy>';
const building = (id: string, inside = '') =>
  `<core:cityObjectMember>\n<bldg:Building gml:id="${id}">${inside}</bldg:Building>\n</core:cityObjectMember >`;

async function read(text: string, chunk = 65_536) {
  const issues: ConvertIssue[] = [];
  const path = 'udx/bldg/53394525_bldg_6697_op.gml';
  const gml = gmlSource(path, new Map([[path, Buffer.from(text)]]), { chunk });
  const found: string[] = [];
  let srsName: string | null = null;
  const options = {
    signal: new AbortController().signal,
    onText() {},
    issue: (found: ConvertIssue) => issues.push(found),
  };
  for await (const item of readGml(gml, options)) {
    if (item.kind === 'feature') {
      found.push(`${item.number} ${item.element.name} ${item.element.attributes['gml:id']}`);
      srsName = item.defaults.srsName;
    } else if (item.kind === 'appearance') found.push(`appearance ${item.element.name}`);
    else {
      let bytes = 0;
      for await (const piece of item.chunks()) bytes += piece.length;
      found.push(`${item.number} large ${bytes}`);
    }
  }
  return { found, issues: issues.map(({ code }) => code), srsName };
}

test('features come in the order of the text, whatever the chunks', async () => {
  const text =
    `<?xml version="1.0"?>\n<!-- <a> -->${ROOT}${ENVELOPE}<app:appearanceMember><app:Appearance/>` +
    `</app:appearanceMember>${building('a')}<!-- ${building('no')} -->` +
    `${building('b', '<!-- </core:cityObjectMember> --><gml:name><![CDATA[</core:cityObjectMember>]]></gml:name>')}` +
    `<core:cityObjectMember/></core:CityModel>`;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (chunk) => {
      assert.deepEqual(await read(text, chunk), {
        found: ['appearance app:Appearance', '0 bldg:Building a', '1 bldg:Building b'],
        issues: [],
        srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697',
      });
    }),
    { numRuns: 40 },
  );
});

test('one container may hold all features', async () => {
  const text =
    `<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml" xmlns:bldg="http://www.opengis.net` +
    `/citygml/building/2.0"><gml:featureMembers><bldg:Building gml:id="a"/><bldg:Building gml:id="b">` +
    `</bldg:Building></gml:featureMembers></gml:FeatureCollection>`;
  assert.deepEqual((await read(text)).found, ['0 bldg:Building a', '1 bldg:Building b']);
});

test('what is broken becomes an issue, and the rest is read', async () => {
  const broken = `${ROOT}${building('a', '<gml:name>')}${building('b')}`;
  assert.deepEqual(await read(`${broken}</core:CityModel>`), {
    found: ['0 bldg:Building b'],
    issues: ['FEATURE_MALFORMED'],
    srsName: null,
  });
  assert.deepEqual(await read(`${broken}<core:cityObjectMember><bldg:Building>`), {
    found: ['0 bldg:Building b'],
    issues: ['FEATURE_MALFORMED', 'GML_BREAKS_OFF'],
    srsName: null,
  });
});

test('a large feature comes in pieces, and what follows it is read', async () => {
  const large = building('a', `<gml:name>${'x'.repeat(17 << 20)}</gml:name>`);
  const { found } = await read(`${ROOT}${large}${building('b')}</core:CityModel>`);
  assert.deepEqual(found, [`0 large ${large.length}`, '1 bldg:Building b']);
});

test('an extent too large for a tree is passed over, and what follows it is read', async () => {
  const extent = ENVELOPE.replace('<gml:Envelope', `<!--${'x'.repeat(17 << 20)}-->$&`);
  assert.deepEqual(await read(`${ROOT}${extent}${building('a')}</core:CityModel>`), {
    found: ['0 bldg:Building a'],
    issues: [],
    srsName: null,
  });
});

test('of a large appearance each surface data is read, and one that is broken is left out', async () => {
  const data = (inside: string) =>
    `<app:surfaceDataMember><app:X3DMaterial>${inside}</app:X3DMaterial></app:surfaceDataMember>`;
  const member =
    `<app:appearanceMember><app:Appearance><app:theme>${'x'.repeat(17 << 20)}</app:theme>${data('')}` +
    `${data('<gml:name>')}${data('<gml:name/>')}</app:Appearance></app:appearanceMember>`;
  const { found, issues } = await read(`${ROOT}${member}${building('a')}</core:CityModel>`);
  assert.deepEqual(found, [
    'appearance app:surfaceDataMember',
    'appearance app:surfaceDataMember',
    '0 bldg:Building a',
  ]);
  assert.deepEqual(issues, ['FEATURE_MALFORMED']);
});

const packages = globSync(`${DATA}{packages,conversion/*}/*.zip`).sort();
test('finds the features of published files', { skip: !existsSync(DATA) }, async () => {
  for (const zip of packages.filter((path) => !/osaka|tokyo23/.test(path))) {
    for (const gml of await gmlSources(zip)) {
      const found: Array<string | undefined> = [];
      const issues: ConvertIssue[] = [];
      const chunks: Buffer[] = [];
      for await (const chunk of gml.text()) chunks.push(Buffer.from(chunk));
      for await (const item of readGml(gml, {
        signal: new AbortController().signal,
        onText() {},
        issue: (found) => issues.push(found),
      })) {
        if (item.kind === 'feature') found.push(item.element.attributes['gml:id']);
      }
      const expected = slowFeatures(Buffer.concat(chunks).toString()).map(({ attributes }) =>
        attributes.get('gml:id'),
      );
      assert.deepEqual(found, expected, gml.path);
      assert.deepEqual(issues, []);
    }
  }
});
