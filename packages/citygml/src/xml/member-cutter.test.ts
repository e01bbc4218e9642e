import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GmlTextError, MemberCutter } from './member-cutter.ts';
import { FeatureXmlError } from './xml-element.ts';

const ROOT =
  '<CityModel xmlns="http://www.opengis.net/citygml/2.0" xmlns:g="http://www.opengis.net/gml" ' +
  'xmlns:own="http://example.com/own">';

async function* chunksOf(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    // The memory of a chunk may be used again.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    yield chunk;
    chunk.fill(0x21);
    at += size;
  }
}

interface Cut {
  name: string;
  start: number;
  text: string;
}

/** All members; `read` says of each large one whether its pieces are read. */
async function cutAll(text: string, sizes: readonly number[] = [1 << 16], wholeBytes = 1 << 20, read = true) {
  const cutter = new MemberCutter(chunksOf(text, sizes), wholeBytes);
  const members: Cut[] = [];
  for (let member = await cutter.next(); member !== null; member = await cutter.next()) {
    const pieces: Buffer[] = [];
    if (member.text !== null) {
      pieces.push(Buffer.from(member.text));
      for await (const piece of member.chunks()) assert.deepEqual(piece, member.text);
    } else if (read) for await (const piece of member.chunks()) pieces.push(Buffer.from(piece));
    members.push({ name: member.name, start: member.start, text: Buffer.concat(pieces).toString() });
  }
  return { members, context: cutter.context };
}

/** Written and canonical names of children. */
const NAMES = {
  cityObjectMember: 'core:cityObjectMember',
  'g:featureMember': 'gml:featureMember',
  'own:thing': 'own:thing',
};
const name = fc.constantFrom(...(Object.keys(NAMES) as Array<keyof typeof NAMES>));
const inner = fc.constantFrom(
  '\n',
  '都市',
  '<b/>',
  '<b c="d">e</b>',
  '<own:thingy></own:thingy>',
  '<cityObjectMembers></cityObjectMembers>',
  '<g:featureMember2/>',
);
const child = fc.record({
  name,
  inner: fc.array(inner, { maxLength: 8 }),
  attributes: fc.constantFrom('', ' g:id="甲"', '\n a = "b"'),
  form: fc.constantFrom('open', 'blank', 'empty'),
  hidden: fc.constantFrom('', '<!-- </END> -->', '<![CDATA[</END>]]>', '<!-- a --></b>', '<![CDATA[ ]]>'),
});
const between = fc.constantFrom('', '\n', '  ', '<!-- <x> > -->', '<?do <x> ?>', '都', '<!X>');

function written(one: typeof child extends fc.Arbitrary<infer T> ? T : never, isPlain: boolean): string {
  const { name, inner, attributes, form, hidden } = one;
  if (form === 'empty') return `<${name}${attributes}/>`;
  const within = inner.join('') + (isPlain ? '' : hidden.replace('END', name));
  return `<${name}${attributes}>${within}</${name}${form === 'blank' ? ' \n' : ''}>`;
}

for (const [how, wholeBytes] of [
  ['whole', 1 << 20],
  ['in pieces', 60],
] as const) {
  test(`children of the root come ${how}, at their places, whatever the chunks`, async () => {
    const list = fc.array(fc.tuple(between, child, fc.boolean()), { maxLength: 8 });
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(list, between, sizes, fc.boolean(), async (children, first, sizes, read) => {
        let text = `<?xml version="1.0"?>${first === '都' ? '' : first}${ROOT}`;
        const expected: Cut[] = [];
        for (const [before, one, isContained] of children) {
          text += before + (isContained ? '<g:featureMembers>\n' : '');
          const own = written(one, wholeBytes === 60);
          expected.push({ name: NAMES[one.name], start: Buffer.byteLength(text), text: own });
          text += own + (isContained ? '</g:featureMembers>' : '');
        }
        text += '\n</CityModel>\n';
        const { members } = await cutAll(text, sizes, wholeBytes, read);
        for (const [i, member] of members.entries()) {
          const isPassedOver = !read && member.text === '';
          assert.deepEqual(member, isPassedOver ? { ...expected[i]!, text: '' } : expected[i]);
        }
        assert.equal(members.length, expected.length);
      }),
    );
  });
}

test('a member of up to the limit comes whole; one byte more and it comes in pieces', async () => {
  const member = `<own:thing>${'x'.repeat(1_000)}</own:thing>`;
  const head = Buffer.byteLength(ROOT);
  for (const [more, isWhole] of [
    [0, true],
    [1, false],
  ] as const) {
    // The end tag comes in the last chunk, when so much of the member is there.
    const sizes = [head + member.length - 5, 1_000];
    const cutter = new MemberCutter(
      chunksOf(`${ROOT}${member}</CityModel>`, sizes),
      member.length - 5 - more,
    );
    const first = await cutter.next();
    assert.equal(first!.text !== null, isWhole);
  }
});

test('large members cost no more memory than chunks', async () => {
  const large = `<own:thing>${'x'.repeat(3_000_000)}</own:thing>`;
  const { members } = await cutAll(`${ROOT}${large}${large}</CityModel>`, [10_000], 50_000);
  assert.deepEqual(
    members.map(({ text, start }) => [text === large, start]),
    [
      [true, Buffer.byteLength(ROOT)],
      [true, Buffer.byteLength(ROOT) + large.length],
    ],
  );
  const cutter = new MemberCutter(chunksOf(`${ROOT}${large}</CityModel>`, [10_000]), 50_000);
  let longest = 0;
  for await (const piece of (await cutter.next())!.chunks()) longest = Math.max(longest, piece.length);
  assert.ok(longest < 100_000, `${longest}`);
});

test('a large member comes in pieces, and the memory that it took is let go after it', async () => {
  const large = `<own:thing>${'x'.repeat(30_000_000)}</own:thing>`;
  const small = `<own:thing>${'y'.repeat(1000)}</own:thing>`;
  const text = `${ROOT}${large}${small.repeat(20_000)}</CityModel>`;
  const cutter = new MemberCutter(chunksOf(text, [1 << 16]), 10_000_000);
  let pieces = '';
  for await (const piece of (await cutter.next())!.chunks()) {
    assert.ok(piece.length <= 1 << 20, `${piece.length}`);
    pieces += piece.toString();
  }
  assert.ok(pieces === large);
  let members = 0;
  let memory = Infinity;
  for (let member = await cutter.next(); member !== null; member = await cutter.next()) {
    members++;
    memory = member.text!.buffer.byteLength;
  }
  assert.equal(members, 20_000);
  assert.ok(memory <= 1 << 20, `${memory}`);
});

test('the namespaces of the root are there with the first child', async () => {
  const { context } = await cutAll(`${ROOT}<own:thing/></CityModel>`);
  assert.equal(context!.element('g:name'), 'gml:name');
  assert.equal((await cutAll('')).context, null);
  assert.deepEqual((await cutAll(`${ROOT}</CityModel>`)).members, []);
});

test('what cannot be cut says why', async () => {
  const faults: Array<[string, RegExp, number?]> = [
    ['</a>', /begins with an end tag/],
    [`${ROOT}<a`, /ends inside a tag/],
    [`${ROOT}<a>text`, /ends before <\/a>/],
    [`${ROOT}<a>text</a`, /ends before <\/a>/],
    [`${ROOT}<a>text</ab>`, /ends before <\/a>/],
    [`${ROOT}<a>${'x'.repeat(500)}`, /ends inside of a large feature/, 100],
    [`${ROOT}<!-- ${'x'.repeat(2_000)}`, /A comment does not end/, 100],
    [`<a ${'x'.repeat(1_100_000)}`, /A tag has more than 1048576 bytes/],
  ];
  for (const [text, message, wholeBytes] of faults) {
    const isRight = (error: unknown) => error instanceof GmlTextError && message.test(error.message);
    await assert.rejects(cutAll(text, [64], wholeBytes), isRight, String(message));
  }
  await assert.rejects(cutAll('< a>', [64]), FeatureXmlError);
  for (const ending of ['<!-- a', '<![CDATA[ a', '<? a', '<!']) {
    assert.deepEqual((await cutAll(`${ROOT}<own:thing/>${ending}`, [7])).members.length, 1, ending);
  }
});

test('one who stops closes the text', async () => {
  let isClosed = false;
  async function* endless() {
    try {
      yield Buffer.from(ROOT);
      for (;;) yield Buffer.from('<own:thing/>');
    } finally {
      isClosed = true;
    }
  }
  const cutter = new MemberCutter(endless(), 1_000);
  assert.equal((await cutter.next())!.name, 'own:thing');
  await cutter.close();
  assert.equal(isClosed, true);
});
