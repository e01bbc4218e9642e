import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemasRefused } from './own-schemas.ts';
import { ALL, XsdSet } from './xsd-set.ts';

const XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';

/** XSDs by path: a target namespace, `-` for none, and what the schema has inside. */
function setOf(xsds: Record<string, readonly [namespace: string, inside?: string]>): XsdSet {
  return new XsdSet(
    Object.entries(xsds).map(([path, [namespace, inside = '']]) => {
      const target = namespace === '-' ? '' : ` targetNamespace="${namespace}"`;
      return { path, bytes: Buffer.from(`<xs:schema ${XS}${target}>${inside}</xs:schema>`) };
    }),
  );
}

const include = (location: string) => `<xs:include schemaLocation="${location}"/>`;
const imported = (namespace: string, location?: string) =>
  `<xs:import namespace="${namespace}"${location === undefined ? '' : ` schemaLocation="${location}"`}/>`;

const NONE: ReadonlyMap<string, string> = new Map();

/** Paths that a validator reaches from an address, each once: it follows locations alone. */
function reached(set: XsdSet, chosen = NONE, from = ALL): string[] {
  const texts = set.texts(chosen);
  const seen = new Set([from]);
  for (const address of seen) {
    const text = Buffer.from(texts.get(address)!).toString();
    for (const [, next] of text.matchAll(/schemaLocation="([^"]*)"/g)) seen.add(next!);
  }
  return [...seen].flatMap((address) => set.pathAt(address) ?? []).sort();
}

/** Paths that an XSD of the set refers to. */
function from(set: XsdSet, path: string, chosen = NONE): string[] {
  const texts = set.texts(chosen);
  const address = [...texts.keys()].find((one) => set.pathAt(one) === path)!;
  const text = Buffer.from(texts.get(address)!).toString();
  return [...text.matchAll(/schemaLocation="([^"]*)"/g)].map(([, next]) => set.pathAt(next!) ?? next!);
}

function refusal(make: () => XsdSet): string {
  try {
    make();
  } catch (error) {
    assert.ok(error instanceof SchemasRefused);
    return error.message;
  }
  return assert.fail('the XSDs are used');
}

test('all namespaces are reached from one address, and what is no address of the set has no path', () => {
  const set = setOf({ 'a.xsd': ['urn:a'], 'b.xsd': ['urn:b'], 'c.xsd': ['-'] });
  assert.deepEqual(reached(set), ['a.xsd', 'b.xsd']);
  assert.deepEqual(
    ['urn:a', 'urn:b', 'urn:c', ''].map((namespace) => set.has(namespace)),
    [true, true, false, false],
  );
  for (const address of [
    ALL,
    'schemas:///3.xsd',
    'schemas:///0.xs',
    'http://x/0.xsd',
    'schemas:///0.xsd.xsd',
  ]) {
    assert.equal(set.pathAt(address), null, address);
  }
});

test('all that is missing is counted, and the first of it named', () => {
  const one = () => setOf({ 'a.xsd': ['urn:a', include('x.xsd')] });
  assert.equal(refusal(one), 'The XSD a.xsd includes x.xsd in line 1, for which the directory has no XSD.');
  const three = () =>
    setOf({
      'b.xsd': ['urn:b', imported('urn:none')],
      'a.xsd': ['urn:a', include('x.xsd') + include('y.xsd')],
    });
  assert.equal(
    refusal(three),
    'The XSD a.xsd includes x.xsd in line 1, for which the directory has no XSD. ' +
      '2 further references are missing, too.',
  );
  assert.match(
    refusal(() => setOf({ 'b.xsd': ['urn:b', imported('urn:none')] })),
    /imports the namespace urn:none in/,
  );
  assert.match(
    refusal(() => setOf({ 'b.xsd': ['urn:b', '<xs:import schemaLocation="c.xsd"/>'] })),
    /b\.xsd imports c\.xsd in line 1/,
  );
  assert.match(
    refusal(() => setOf({ 'b.xsd': ['urn:b', '<xs:import/>'] })),
    /b\.xsd imports {2}in line 1/,
  );
  assert.match(
    refusal(() => setOf({ 'a.xsd': ['urn:a', include('x'.repeat(201))] })),
    /includes x{200}… in line 1/,
  );
  assert.match(
    refusal(() => setOf({ 'a.xsd': ['urn:a', include('x'.repeat(200))] })),
    /includes x{200} in line 1/,
  );
});

test('an include means the XSD at its path, else the one whose path ends most like it', () => {
  const set = setOf({
    '1/part.xsd': ['urn:a'],
    '2/part.xsd': ['urn:a'],
    '2/a.xsd': ['urn:a', include('part.xsd')],
    '3/b.xsd': ['urn:a', include('../1/./part.xsd')],
    '3/c.xsd': ['urn:a', include('https://a.example/2/part.xsd')],
    '3/d.xsd': ['urn:a', include('../../1/part.xsd')],
  });
  assert.deepEqual(
    ['2/a.xsd', '3/b.xsd', '3/c.xsd', '3/d.xsd'].map((path) => from(set, path)),
    [['2/part.xsd'], ['1/part.xsd'], ['2/part.xsd'], ['1/part.xsd']],
  );
});

test('an include means an XSD of its own namespace or of none, and an import without one that of none', () => {
  const set = setOf({
    'deep/part.xsd': ['-'],
    'part.xsd': ['urn:b'],
    'a.xsd': ['urn:a', include('part.xsd')],
    'c.xsd': ['urn:c', '<xs:import schemaLocation="part.xsd"/>'],
  });
  assert.deepEqual([from(set, 'a.xsd'), from(set, 'c.xsd')], [['deep/part.xsd'], ['deep/part.xsd']]);
  const own = () =>
    setOf({ 'part.xsd': ['urn:c'], 'c.xsd': ['urn:c', '<xs:import schemaLocation="part.xsd"/>'] });
  assert.match(refusal(own), /c\.xsd imports part\.xsd/);
});

test('an XSD that includes all others of its namespace stands for it, else those that do together', () => {
  const chain = setOf({
    'a.xsd': ['urn:a', include('b.xsd')],
    'b.xsd': ['urn:a', include('c.xsd')],
    'c.xsd': ['urn:a'],
    'x.xsd': ['urn:x', imported('urn:a')],
  });
  assert.deepEqual(from(chain, 'x.xsd'), ['a.xsd']);
  const two = setOf({
    'a.xsd': ['urn:a', include('c.xsd')],
    'b.xsd': ['urn:a', include('c.xsd')],
    'c.xsd': ['urn:a'],
    'x.xsd': ['urn:x', imported('urn:a')],
  });
  const [face] = from(two, 'x.xsd');
  const text = Buffer.from(two.texts(NONE).get(face!)!).toString();
  assert.match(text, /<xs:schema [^>]*targetNamespace="urn:a"><xs:include /);
  assert.deepEqual(reached(two, NONE, face), ['a.xsd', 'b.xsd', 'c.xsd']);
});

test('of several XSDs of a namespace those count that imports name, else all', () => {
  const versions = { '1/a.xsd': ['urn:a'], '2/a.xsd': ['urn:a'], '3/a.xsd': ['urn:a'] } as const;
  const all = ['1/a.xsd', '2/a.xsd', '3/a.xsd'];
  const used = (...imports: string[]) =>
    reached(setOf({ ...versions, 'x.xsd': ['urn:x', imports.join('')] })).filter((path) => path !== 'x.xsd');
  assert.deepEqual(used(imported('urn:a', '2/a.xsd')), ['2/a.xsd']);
  assert.deepEqual(used(imported('urn:a', 'https://a.example/3/a.xsd')), ['3/a.xsd']);
  assert.deepEqual(used(imported('urn:a', '2/a.xsd'), imported('urn:a', '3/a.xsd')), ['2/a.xsd', '3/a.xsd']);
  assert.deepEqual(used(imported('urn:a')), all);
  assert.deepEqual(used(imported('urn:a', 'else.xsd')), all);
  // At this path is an XSD of another namespace, and this include is no import.
  assert.deepEqual(used(imported('urn:a', 'x.xsd')), all);
  assert.deepEqual(used(), all);
});

test('a schemaLocation chooses one of several XSDs; what leaves no choice is no part of the key', () => {
  const set = setOf({
    '1/a.xsd': ['urn:a'],
    '2/a.xsd': ['urn:a'],
    '1/b.xsd': ['urn:b'],
    '2/b.xsd': ['urn:b'],
    'c.xsd': ['urn:c'],
  });
  const one = set.chosenBy(' urn:a  https://x.example/2/a.xsd\n\turn:c c.xsd urn:none n.xsd urn:b');
  assert.deepEqual([...one.chosen], [['urn:a', '2/a.xsd']]);
  assert.deepEqual(reached(set, one.chosen), ['1/b.xsd', '2/a.xsd', '2/b.xsd', 'c.xsd']);
  const [both, turned] = ['urn:a 2/a.xsd urn:b 1/b.xsd', 'urn:b 1/b.xsd urn:a 2/a.xsd'].map(
    (text) => set.chosenBy(text).key,
  );
  assert.equal(both, turned);
  assert.notEqual(both, one.key);
  assert.notEqual(set.chosenBy('urn:a 1/a.xsd').key, set.chosenBy('urn:a 2/a.xsd').key);
  assert.deepEqual(
    ['', 'urn:a', 'urn:a else.xsd', 'urn:c c.xsd'].map((text) => set.chosenBy(text).key),
    ['', '', '', ''],
  );
});

test('names with signs of XML stay what they are', () => {
  const set = setOf({ 'a.xsd': ['urn:a&amp;&quot;b'], 'b.xsd': ['urn:a&amp;&quot;b'] });
  const texts = [...set.texts(NONE).values()].map((bytes) => Buffer.from(bytes).toString());
  assert.ok(texts.some((text) => text.includes('targetNamespace="urn:a&amp;&quot;b"><xs:include')));
  assert.ok(texts.some((text) => text.includes('<xs:import namespace="urn:a&amp;&quot;b"')));
  assert.ok(set.has('urn:a&"b'));
});
