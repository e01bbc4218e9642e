import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FeatureXmlError, namespaceContext, parseFeature } from './feature-xml.ts';
import { feature, ROOT_TAG } from './testing/fixtures.ts';

test('names get canonical prefixes whatever the file calls them', () => {
  const root = `<CityModel xmlns='http://www.opengis.net/citygml/2.0' xmlns:b='http://www.opengis.net/citygml/building/2.0'
    xmlns:g="http://www.opengis.net/gml" xmlns:u="https://www.geospatial.jp/iur/uro/2.0/" xmlns:o="http://example.com/own">`;
  const xml = `<b:Building g:id="x" own="1"><creationDate>2020</creationDate><u:note/><o:thing/><unbound:thing/>
    <n:child xmlns:n="http://www.opengis.net/citygml/generics/2.0"><n:inner/></n:child></b:Building>`;
  const element = feature(xml, undefined, root);
  assert.equal(element.name, 'bldg:Building');
  assert.deepEqual({ ...element.attributes }, { 'gml:id': 'x', own: '1' });
  assert.deepEqual(
    element.children.map((child) => child.name),
    ['core:creationDate', 'uro:note', 'o:thing', 'unbound:thing', 'gen:child'],
  );
  assert.equal(element.children[4]!.children[0]!.name, 'gen:inner');
});

test('text: entities, CDATA, comments, instructions, single quotes, CRLF and wide characters', () => {
  const element = feature(
    "<?xml version='1.0'?>\r\n<!-- before --><a b='x &quot; &#x41;&#66; > &unknown;' \r\n c = \"'\" >" +
      '<k> &lt;甲&amp;乙&gt; <!-- no --><![CDATA[<raw> &amp; ]]>&#128169;<?pi ?></k><empty/><blank> </blank>\n</a> rest',
  );
  assert.deepEqual({ ...element.attributes }, { b: 'x " AB > &unknown;', c: "'" });
  assert.deepEqual(
    element.children.map((child) => child.text),
    [' <甲&乙> <raw> &amp; 💩', '', ' '],
  );
  assert.equal(element.text, '');
});

test('elements that are not wanted are passed over, whatever they hold', () => {
  const wanted = '<a><keep>1</keep>SKIPPED<keep>2</keep></a>';
  for (const content of [
    '<no>text</no>',
    '<no/>',
    '<no><no></no><no/></no>',
    '<no><!-- </no> --></no >',
    '<no><![CDATA[</no>]]><x y=">"/></no\n>',
    '<no><nothing></nothing></no>',
    '<no></not></no>',
  ]) {
    const element = feature(wanted.replace('SKIPPED', content), (name) => name === 'no');
    assert.deepEqual(
      element.children.map((child) => child.text),
      ['1', '2'],
      content,
    );
  }
  const reference = feature('<a><no xlink:href="#b"><c/></no></a>', (name) => name === 'no');
  assert.equal(reference.children[0]!.attributes['xlink:href'], '#b');
  assert.deepEqual(reference.children[0]!.children, []);
});

test('malformed bytes give an error that says where', () => {
  for (const xml of [
    '',
    'text',
    '<',
    '<a',
    '<a b',
    '<a b=c>',
    '<a b="c>',
    '<a b="c"d="e"/>',
    '<a>',
    '<a></b>',
    '<a></ab>',
    '<a></a b>',
    '<a><b></a>',
    '<a><!-- </a>',
    '<a><!x></a>',
    '<a><![CDATA[</a>',
    '<!-- only -->',
    '<a>'.repeat(1000),
  ]) {
    assert.throws(() => feature(xml), FeatureXmlError, xml);
  }
  assert.throws(() => namespaceContext(Buffer.from('nothing')), FeatureXmlError);
});

test('bytes of any kind end in a tree or in that error', () => {
  const context = namespaceContext(Buffer.from(ROOT_TAG));
  const piece = fc.constantFrom(
    '<',
    '>',
    '/',
    'a',
    'b:c',
    ' ',
    '=',
    '"',
    "'",
    '<a>',
    '</a>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '&',
    '&#0;',
    '?>',
    '<?',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, skip) => {
      try {
        parseFeature(Buffer.from(pieces.join('')), context, skip ? (name) => name === 'b:c' : undefined);
      } catch (error) {
        assert.ok(error instanceof FeatureXmlError, String(error));
      }
    }),
    { numRuns: 3000 },
  );
});
