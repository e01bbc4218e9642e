import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { attributesOf, skipAllButAttributes } from '../attributes/attributes.ts';
import { namespaceContext, parseFeature } from './feature-xml.ts';
import { skimFeature } from './skim-feature.ts';

const ROOT = Buffer.from(
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:dem="http://www.opengis.net/citygml/relief' +
    '/2.0" xmlns:gml="http://www.opengis.net/gml">',
);
const TRIANGLES = (
  '<gml:Triangle><gml:exterior><gml:LinearRing><gml:posList>1 2 3</gml:posList></gml:LinearRing></gml:exterior>' +
  '</gml:Triangle>'
).repeat(50);
const FEATURE = `<dem:ReliefFeature gml:id="r" note='a > b'><gml:name>起伏</gml:name><!-- <gml:trianglePatches> -->
<dem:lod>1</dem:lod><dem:reliefComponent><dem:TINRelief><dem:tin><gml:TriangulatedSurface><gml:trianglePatches>\
${TRIANGLES}</gml:trianglePatches></gml:TriangulatedSurface></dem:tin></dem:TINRelief></dem:reliefComponent>
<dem:extent><gml:MultiSurface><gml:surfaceMember><gml:CompositeSurface><gml:surfaceMember>x</gml:surfaceMember>\
<gml:surfaceMember/></gml:CompositeSurface></gml:surfaceMember></gml:MultiSurface></dem:extent>
<gml:name>a b</gml:name><gml:description><![CDATA[</gml:description> & <gml:exterior>]]></gml:description>\
</dem:ReliefFeature>`;

async function* cut(text: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
}

function attributes(text: Uint8Array): Record<string, unknown> {
  const feature = parseFeature(text, namespaceContext(ROOT), skipAllButAttributes);
  return attributesOf(feature, { labels: null, extent: null });
}

describe('a feature without the insides of its geometry', () => {
  test('has the same attributes, wherever its text is cut', async () => {
    const text = Buffer.from(FEATURE);
    const expected = attributes(text);
    assert.equal(expected['gml:description'], '</gml:description> & <gml:exterior>');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: text.length }), async (size) => {
        const skimmed = await skimFeature(cut(text, size));
        assert.deepEqual(attributes(skimmed), expected);
        assert.ok(skimmed.length < 900);
      }),
    );
  });

  test('stays small, however many members there are', async () => {
    const member =
      '\n        <gml:surfaceMember><gml:Polygon><gml:exterior/></gml:Polygon></gml:surfaceMember>'.repeat(
        1_000,
      );
    async function* chunks() {
      yield Buffer.from('<a><gml:name>river</gml:name><gml:MultiSurface>');
      for (let i = 0; i < 200; i++) yield Buffer.from(member);
      yield Buffer.from('</gml:MultiSurface></a>');
    }
    assert.equal(
      Buffer.from(await skimFeature(chunks())).toString(),
      '<a><gml:name>river</gml:name><gml:MultiSurface>\n        </gml:MultiSurface></a>',
    );
  });

  test('tells names apart that begin alike, and tags from what stands in comments', async () => {
    const inside =
      '<gml:surfaceMembers><gml:surfaceMembeR>1<gml:surfaceMember/>' +
      '<!-- </gml:surfaceMember> --><gml:surfaceMember a="1">2</gml:surfaceMember >';
    const text = Buffer.from(`<a>b<gml:surfaceMember>${inside}</gml:surfaceMember>c<gml:name/></a>`);
    for (let size = 1; size <= text.length; size++) {
      const skimmed = Buffer.from(await skimFeature(cut(text, size))).toString();
      assert.equal(skimmed, '<a>bc<gml:name/></a>', `in pieces of ${size} bytes`);
    }
  });

  test('passes on what is not well formed', async () => {
    for (const text of ['<a><gml:exterior>', '<a', 'no tags', '<!-- open', '']) {
      await skimFeature(cut(Buffer.from(text), 3));
    }
    assert.equal(Buffer.from(await skimFeature(cut(Buffer.from('<a><b'), 2))).toString(), '<a><b');
  });
});
