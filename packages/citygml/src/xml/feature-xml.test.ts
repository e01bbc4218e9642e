import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { feature, ROOT_TAG } from '../testing/fixtures.ts';
import { namespaceContext, parseFeature } from './feature-xml.ts';
import { FeatureXmlError, type XmlElement } from './xml-element.ts';

test('names get canonical prefixes whatever the file calls them', () => {
  const root = `<CityModel xmlns='http://www.opengis.net/citygml/2.0' xmlns:b='http://www.opengis.net/citygml\
/building/2.0'
    xmlns:g="http://www.opengis.net/gml" xmlns:u="https://www.geospatial.jp/iur/uro/2.0/" \
xmlns:o="http://example.com/own">`;
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

test('a context knows the version of a module, whatever the file calls it', () => {
  const root = `<c:CityModel xmlns:c="http://www.opengis.net/citygml/3.1" xmlns:core="http://example.com/own" xmlns="\
http://www.opengis.net/gml" xmlns:u="https://www.geospatial.jp/iur/uro/5.0">`;
  const context = namespaceContext(Buffer.from(root)).extend(
    new Map([['g', 'http://www.opengis.net/citygml/generics/2.0']]),
  )!;
  assert.deepEqual(
    ['core', 'gml', 'uro', 'gen', 'bldg'].map((module) => context.versionOf(module)),
    ['3.1', '3.1', '5.0', '2.0', null],
  );
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

test('a tag says what stands in it, whatever stood in others of its name', () => {
  const attribute = fc.constantFrom(
    'codeSpace="a.xml"',
    "codeSpace='a.xml'",
    'codeSpace="a.xml#&gt;>"',
    'uom="m"',
    'uom="m2"',
    'x:href="#a"',
    'x:href="#b"',
    ...Array.from({ length: 12 }, (_, i) => `name="${i}"`),
  );
  const values: Record<string, Record<string, string>> = {
    "codeSpace='a.xml'": { codeSpace: 'a.xml' },
    'codeSpace="a.xml#&gt;>"': { codeSpace: 'a.xml#>>' },
  };
  const tag = fc.record({ attribute: fc.option(attribute), closed: fc.boolean(), blank: fc.boolean() });
  const namespaces = fc.constantFrom(
    ['http://www.w3.org/1999/xlink', 'xlink:href'],
    ['http://www.opengis.net/gml', 'gml:href'],
  );
  fc.assert(
    fc.property(fc.array(tag, { maxLength: 30 }), namespaces, (tags, [uri, href]) => {
      const xml = tags.map(({ attribute, closed, blank }) => {
        const start = `<k${attribute === null ? '' : ` ${attribute}`}${blank ? ' ' : ''}`;
        return closed ? `${start}/>` : `${start}>text</k>`;
      });
      const element = feature(`<a>${xml.join('')}</a>`, undefined, `<a xmlns:x="${uri}">`);
      assert.deepEqual(
        element.children.map(({ attributes, text }) => ({ attributes: { ...attributes }, text })),
        tags.map(({ attribute, closed }) => {
          const [name, value] = attribute?.split('=') ?? [];
          const plain = name === undefined ? {} : { [name === 'x:href' ? href! : name]: value!.slice(1, -1) };
          return { attributes: values[attribute ?? ''] ?? plain, text: closed ? '' : 'text' };
        }),
      );
    }),
  );
});

test('short texts are what is written', () => {
  const piece = fc.constantFrom('1', '01', '0', '10', 'é', '甲', '&amp;', '&#x41;', ' ', 'a', '2021', '3.5');
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 200 }), (texts) => {
      const element = feature(`<a>${texts.map((pieces) => `<k>${pieces.join('')}</k>`).join('')}</a>`);
      assert.deepEqual(
        element.children.map(({ text }) => text),
        texts.map((pieces) => pieces.join('').replaceAll('&amp;', '&').replaceAll('&#x41;', 'A')),
      );
    }),
  );
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
  assert.equal(
    namespaceContext(Buffer.alloc(0)).element('bldg:Building'),
    'bldg:Building',
    'no root, no names',
  );
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

test('elements nest 200 deep and no deeper', () => {
  const nested = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`;
  assert.equal(feature(nested(200)).name, 'a');
  assert.throws(() => feature(nested(201)), /nest deeper than 200/);
  assert.throws(() => feature(nested(100_000)), FeatureXmlError);
});

test('prefixes in scope are bounded, and siblings do not add up', () => {
  const declaring = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) => ` xmlns:p${from + i}="http://example.com/${from + i}"`).join('');
  const level = (n: number, inside: string): string => `<a${declaring(100, n * 100)}>${inside}</a>`;
  let nested = '';
  for (let n = 0; n < 120; n++) nested = level(n, nested);
  assert.throws(() => feature(nested), /10000 prefixes/);
  const siblings = Array.from({ length: 150 }, (_, n) => level(n, '')).join('');
  assert.equal(feature(`<b>${siblings}</b>`).children.length, 150);
});

test('an unknown namespace does not pass for one of ours', () => {
  const element = feature('<a xmlns:gml="http://example.com/gml"><gml:name>1</gml:name></a>');
  assert.equal(element.children[0]!.name, 'x-gml:name');
});

/** The tree that a parser of others reads; text between elements that is blank is layout. */
function treeOf(xml: string): XmlElement {
  const parser = new SaxesParser();
  const open: XmlElement[] = [{ name: '', attributes: {}, children: [], text: '' }];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: { ...attributes }, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  const append = (text: string) => {
    open.at(-1)!.text += text;
  };
  parser.on('text', append);
  parser.on('cdata', append);
  parser.write(xml).close();
  return open[0]!.children[0]!;
}

const plain = ({ name, attributes, children, text }: XmlElement): XmlElement => ({
  name,
  attributes: { ...attributes },
  children: children.map(plain),
  text,
});

const { node } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'x',
      '都',
      '&amp;',
      '&#65;',
      '&#x1F4A9;',
      '<![CDATA[<&]]>',
      '<!-- </a> -->',
      '<?a <b> ?>',
    ),
    fc
      .tuple(
        fc.constantFrom('a', 'b', 'Aa', 'BB', 'a.b-c_d', '都市'),
        fc.subarray(['c="1"', "d='\"&lt;'", 'Aa="x  y"', 'BB="都>"']),
        fc.constantFrom('', ' ', '\n'),
        fc.array(tie('node'), { maxLength: 5 }),
        fc.boolean(),
      )
      .map(([name, attributes, blank, inner, isShort]) => {
        const tag = [name, ...attributes].join(' ');
        const within = inner.join('');
        return within === '' && isShort ? `<${tag}${blank}/>` : `<${tag}${blank}>${within}</${name}${blank}>`;
      }),
  ),
}));

test('a tree is what another parser reads, with one memory for all files', () => {
  const context = namespaceContext(Buffer.from('<root>'));
  fc.assert(
    fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
      const xml = `<root e="f">${nodes.join('')}</root>`;
      assert.deepEqual(plain(parseFeature(Buffer.from(xml), context)), treeOf(xml));
    }),
    { numRuns: 500 },
  );
});

test('an element that is not wanted leaves the others as they are, whatever it holds', () => {
  const context = namespaceContext(Buffer.from('<root>'));
  const without = (element: XmlElement): XmlElement => ({
    ...element,
    children: element.children.filter(({ name }) => name !== 'a').map(without),
  });
  fc.assert(
    fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
      const xml = `<root>${nodes.join('')}</root>`;
      const read = parseFeature(Buffer.from(xml), context, (name) => name === 'a');
      assert.deepEqual(plain(read), without(treeOf(xml)));
    }),
    { numRuns: 500 },
  );
});

test('what is malformed is told with its place', () => {
  const faults: Array<[string, string, number]> = [
    ['text', 'Expected an element, found no "<"', 0],
    ['<!-- only -->', 'Expected an element, found only comments', 13],
    ['<', 'Expected an element name after "<"', 0],
    ['<a', 'Expected an attribute or ">" in <a>', 2],
    ['<a b', 'Expected "=" after the attribute b', 4],
    ['<a b=c>', 'Expected a quoted value of the attribute b', 5],
    ['<a b="c>', 'Expected a quoted value of the attribute b', 5],
    ['<a b="c"d="e"/>', 'Expected an attribute or ">" in <a>', 8],
    ['<a><b>', 'Expected </b>, found the end', 6],
    ['<a></b>', 'Expected </a>, found </b', 3],
    ['<a><!-- </a>', 'Expected "-->", found the end', 12],
    ['<a><!x></a>', 'Expected a comment or a CDATA section after "<!"', 3],
    ['<a><![CDATA[</a>', 'Expected "]]>", found the end', 16],
    ['<a><? </a>', 'Expected "?>", found the end', 10],
  ];
  for (const [xml, message, at] of faults) {
    assert.throws(
      () => feature(xml),
      { name: 'FeatureXmlError', message: `${message} at byte ${at}`, byte: at },
      xml,
    );
  }
  const skipped = (xml: string) => feature(xml, (name) => name === 'no');
  assert.throws(() => skipped('<a><no><b>'), /Expected <\/no>, found the end/);
  assert.throws(() => skipped('<a><no><!-- --><no></no>'), /Expected <\/no>, found the end/);
  assert.throws(() => namespaceContext(Buffer.from('nothing')), /Expected the root start tag, found no "<"/);
});
