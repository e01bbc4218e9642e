/** What the scanner says of files that are not well formed, or in another encoding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cityModel, member } from '../testing/gml-text.ts';
import { building, EVERYTHING, scan } from '../testing/scanned.ts';

test('each fault has its code, line and byte', () => {
  const cases: Array<[name: string, text: string | Buffer, code: string, fragment: string]> = [
    ['nothing', '', 'EMPTY_FILE', ''],
    ['blanks', ' \n ', 'EMPTY_FILE', ''],
    ['plain text', 'これは文章です。', 'NOT_XML', 'こ'],
    ['only a comment', '<!-- x -->', 'NOT_XML', ''],
    ['another tag', '<a>\n<b></a>', 'MISMATCHED_TAG', '</a>'],
    ['a longer name', '<a>\n</ab>', 'MISMATCHED_TAG', '</ab>'],
    ['no end', '<a>', 'NOT_WELL_FORMED', ''],
    ['two roots', '<a/><b/>', 'NOT_WELL_FORMED', '<b/>'],
    ['text after', '<a/>x', 'NOT_WELL_FORMED', 'x'],
    ['no quotes', '<a b=c/>', 'NOT_WELL_FORMED', 'c/'],
    ['no value', '<a b/>', 'NOT_WELL_FORMED', 'b/'],
    ['twice', '<a b="" b=""/>', 'NOT_WELL_FORMED', 'b=""/'],
    ['no blank', '<a b=""c=""/>', 'NOT_WELL_FORMED', 'c='],
    ['< in a value', '<a b="<"/>', 'NOT_WELL_FORMED', '<"/'],
    ['lone &', '<a>x & y</a>', 'NOT_WELL_FORMED', '& y'],
    ['an entity', '<a>&nbsp;</a>', 'NOT_WELL_FORMED', '&nbsp;'],
    ['an entity in a value', '<a b="&x;"/>', 'NOT_WELL_FORMED', '&x;'],
    ['a bad tag', '<a><1/></a>', 'NOT_WELL_FORMED', '<1'],
    ['-- in a comment', '<a><!-- -- --></a>', 'NOT_WELL_FORMED', '-- -->'],
    ['prefix of an element', '<x:a/>', 'UNBOUND_PREFIX', '<x:a'],
    ['prefix of an attribute', '<a x:b="1"/>', 'UNBOUND_PREFIX', '1'],
    ['two colons', '<a:b:c/>', 'NOT_WELL_FORMED', '<a:b'],
    ['entities declared', '<!DOCTYPE a [<!ENTITY x "y">]><a/>', 'DOCTYPE', '<!DOCTYPE'],
    ['declaration inside', '<a><?xml version="1.0"?></a>', 'NOT_WELL_FORMED', '<?xml'],
    ['UTF-16', Buffer.from('\ufeff<a/>', 'utf16le'), 'ENCODING', ''],
    ['deep', `${'<a>'.repeat(1001)}`, 'NOT_WELL_FORMED', ''],
  ];
  for (const [name, text, code, fragment] of cases) {
    const { summary, issues } = scan(text);
    const fault = issues.find((issue) => issue.code === code);
    assert.ok(fault, `${name}: ${JSON.stringify(issues)}`);
    assert.equal(summary.wellFormed, false, name);
    assert.equal(fault.severity, 'error');
    if (fragment !== '') {
      const at = Buffer.from(text as string).indexOf(fragment);
      assert.equal(fault.byte, at, name);
      assert.equal(fault.line, (text as string).slice(0, at).split('\n').length, name);
    }
  }
});

test('a document type without declarations is passed, another root is told', () => {
  const { summary, issues } = scan('<!DOCTYPE html SYSTEM "[>"><html/>');
  assert.deepEqual(
    issues.map((issue) => issue.code),
    ['DOCTYPE', 'NOT_CITYGML'],
  );
  assert.equal(summary.wellFormed, true);
  assert.equal(summary.features, 0);
});

test('encodings: what is not UTF-8 is damaged, what only says so is not', () => {
  const declared = EVERYTHING.replace('encoding="UTF-8"', "encoding='Shift_JIS'");
  const same = scan(declared);
  assert.equal(same.summary.wellFormed, true);
  assert.equal(same.issues.find((issue) => issue.code === 'ENCODING')?.severity, 'warning');
  const bytes = Buffer.from(declared);
  const at = bytes.indexOf('駅');
  bytes[at] = 0x8a;
  for (const sizes of [[1], [4096], [1 << 20]]) {
    const damaged = scan(bytes, sizes);
    assert.equal(damaged.summary.wellFormed, false);
    assert.equal(damaged.summary.features, 4);
    const issue = damaged.issues.find((one) => one.code === 'ENCODING');
    assert.equal(issue?.severity, 'error');
    assert.equal(issue?.byte, at);
  }
  const marked = scan(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(EVERYTHING)]));
  assert.equal(marked.summary.wellFormed, true);
  assert.equal(marked.index.feature(0).start, scan(EVERYTHING).index.feature(0).start + 3);
});

test('reports what is not well formed wherever it stands, in chunks of any size', () => {
  const positions = (text: string) =>
    cityModel(
      building(
        'a',
        `<bldg:lod0RoofEdge><gml:LineString><gml:posList>35.5 139.5 0 ${text} 35.6 139.6 0</gml:posList>` +
          `</gml:LineString></bldg:lod0RoofEdge>`,
      ),
    );
  const plain = (text: string) => cityModel(building('a', text));
  const declared = (text: string) => plain('').replace(/^<\?xml.*?\?>/, text);
  const broken = [
    ...[' & ', '&#x0;', '&nbsp;', '&#', 'a]]>b', '1]]>', '\u0001', '1\u0000', 'x\u001f', '&amp'].flatMap(
      (text) => [positions(text), plain(`<gml:name>${text}</gml:name>`), plain(text)],
    ),
    ...['\u0000', '&#x0;', '&', '\u000b'].map((text) => plain(`<gml:name codeSpace="${text}">1</gml:name>`)),
    ...['<!-- \u0002 -->', '<![CDATA[\u0003]]>', '<?target \u0004?>', '<? x?>', '<?XML x?>', '<?xml?>'].map(
      plain,
    ),
    ...[
      '<?xml?>',
      '<?xml encoding="UTF-8"?>',
      '<?xml version="2.0"?>',
      '<?xml version="1.0" encoding=UTF-8?>',
      '<?xml version="1.0" encoding="UTF-8" standalone="maybe"?>',
      '<?xml version="1.0" encoding="UTF-8" more="yes"?>',
      '<?xml version=\'1.0"?>',
    ].map(declared),
  ];
  const sound = [
    ...['&amp;', '&#32;', '&#x20;', 'a]]b', ']', ']]', '&lt;'].flatMap((text) => [
      positions(text),
      plain(`<gml:name>${text}</gml:name>`),
    ]),
    ...['<![CDATA[]]>', '<![CDATA[ ]]]]>', '<!-- ]]> -->', '<?a?>', '<?xml-stylesheet ]]>?>', '\t\r\n'].map(
      plain,
    ),
    plain('<gml:name codeSpace="]]>">1</gml:name>'),
    ...["<?xml version='1.0'?>", '<?xml version="1.1" encoding=\'UTF-8\' standalone="no" ?>', ''].map(
      declared,
    ),
  ];
  for (const sizes of [[1 << 20], [1], [5_000, 3]]) {
    for (const [texts, wellFormed] of [
      [broken, false],
      [sound, true],
    ] as const) {
      for (const text of texts) {
        const { summary, issues } = scan(text, sizes);
        assert.equal(summary.wellFormed, wellFormed, `${JSON.stringify(text.slice(-200))} in ${sizes}`);
        const codes = issues.map(({ code }) => code);
        if (!wellFormed)
          assert.ok(codes.includes('NOT_WELL_FORMED'), `${codes} ${JSON.stringify(text.slice(-200))}`);
      }
    }
  }
});

test('breaks off a text that takes more memory than any honest one, and says why', () => {
  const scope = (level: number) =>
    `<bldg:a ${Array.from({ length: 499 }, (_, i) => `xmlns:p${i}="u${level}"`).join(' ')}>`;
  const nested = (depth: number) =>
    cityModel(building('a', Array.from({ length: depth }, (_, level) => scope(level)).join('')));
  assert.equal(scan(nested(19)).summary.overBudget, null);
  assert.match(scan(nested(21)).summary.overBudget!, /10000 namespaces are declared/);
  const names = Array.from({ length: 20_001 }, (_, i) => `<bldg:n${i}/>`).join('');
  assert.match(scan(cityModel(building('a', names))).summary.overBudget!, /more than 20000 names/);
});

test('a declaration that XML forbids is a fault of the file, one that it allows is not', () => {
  const scanned = (declaration: string) =>
    scan(Buffer.from(cityModel(member(`<bldg:Building ${declaration} gml:id="a"/>`))));
  const fine = scanned('xmlns:xml="http://www.w3.org/XML/1998/namespace"');
  assert.ok(fine.summary.wellFormed);
  const wrong = scanned('xmlns:xml="x"');
  assert.equal(wrong.summary.wellFormed, false);
  assert.match(wrong.issues.map(({ message }) => message).join(), /prefix xml is bound to another namespace/);
});

test('a text that is not UTF-8 is told with the encoding that it declares, where that is another', () => {
  const reason = (declared: string) => {
    const head = Buffer.from(`<?xml version="1.0"${declared}?><a>`);
    const { issues } = scan(Buffer.concat([head, Buffer.of(0x83, 0x4a), Buffer.from('</a>')]));
    return issues.find(({ code }) => code === 'ENCODING')?.message;
  };
  assert.equal(reason(''), 'The text is not UTF-8; only UTF-8 is read.');
  assert.equal(reason(' encoding="UTF-8"'), 'The text is not UTF-8; only UTF-8 is read.');
  assert.equal(
    reason(' encoding="Shift_JIS"'),
    'The text is not UTF-8 and declares shift_jis; only UTF-8 is read.',
  );
});
