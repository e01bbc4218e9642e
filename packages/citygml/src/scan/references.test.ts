import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dependencyLines, parseDependency } from './dependencies.ts';
import { resolveReferences } from './references.ts';
import type { GmlSummary } from './summary.ts';

const none: GmlSummary['references'] = { codeSpaces: [], images: [], hrefs: [], schemas: [] };

function packageOf(...paths: string[]) {
  return {
    has: (path: string) => paths.includes(path),
    findLoosely: (path: string) => paths.find((one) => one.toLowerCase() === path.toLowerCase()),
  };
}

test('references are resolved from the GML, however they are written', () => {
  const files = packageOf(
    'codelists/a.xml',
    'udx/bldg/x_appearance/1.jpg',
    'udx/bldg/x_appearance/a b.jpg',
    'schemas/u.xsd',
  );
  const found = resolveReferences(
    'udx/bldg/x.gml',
    {
      codeSpaces: ['../../codelists/a.xml', ' ../../codelists/a.xml\n'],
      images: [
        'x_appearance/1.jpg',
        'x_appearance\\1.jpg',
        'x_appearance/a%20b.jpg',
        './x_appearance/a b.jpg',
      ],
      hrefs: [],
      schemas: ['../../schemas/u.xsd#part'],
    },
    files,
  );
  assert.deepEqual(found, {
    present: [
      'codelists/a.xml',
      'udx/bldg/x_appearance/1.jpg',
      'udx/bldg/x_appearance/a b.jpg',
      'schemas/u.xsd',
    ],
    missing: [],
    caseDiffers: [],
    depthDiffers: [],
  });
});

test('another case of letters and another depth are found and told', () => {
  const files = packageOf('codelists/Common_a.xml', 'codelists/b.xml');
  const found = resolveReferences(
    'udx/fld/natl/river/x.gml',
    {
      ...none,
      codeSpaces: ['../../../../codelists/common_A.xml', '../../../codelists/b.xml', '../../codelists/b.xml'],
    },
    files,
  );
  assert.deepEqual(found.present, ['codelists/b.xml']);
  const [other] = found.caseDiffers;
  assert.deepEqual([other!.path, other!.written], ['codelists/Common_a.xml', 'codelists/common_A.xml']);
  const lines = dependencyLines({ ...found, missing: [{ ref: 'z', kind: 'images', path: 'z' }] });
  assert.deepEqual(lines, ['codelists/b.xml', 'codelists/Common_a.xml\tcodelists/common_A.xml', '!z']);
  assert.deepEqual(lines.map(parseDependency), [
    { member: 'codelists/b.xml', name: 'codelists/b.xml' },
    { member: 'codelists/Common_a.xml', name: 'codelists/common_A.xml' },
    { member: null, name: 'z' },
  ]);
  assert.equal(found.depthDiffers.length, 2);
  assert.deepEqual(found.missing, []);
});

test('what is not there is missing, and nothing leads out of the package', () => {
  const found = resolveReferences(
    'udx/bldg/x.gml',
    { ...none, images: ['y.jpg', '../../../etc/passwd', '/etc/passwd', '100%.jpg'] },
    packageOf('100%.jpg'),
  );
  assert.deepEqual(found.missing, [
    { ref: 'y.jpg', kind: 'images', path: 'udx/bldg/y.jpg' },
    { ref: '../../../etc/passwd', kind: 'images', path: null },
    { ref: '/etc/passwd', kind: 'images', path: null },
    { ref: '100%.jpg', kind: 'images', path: 'udx/bldg/100%.jpg' },
  ]);
});

test('no reference is looked up outside of the package', () => {
  const part = fc.constantFrom('..', '.', 'a', 'B', '%2e%2e', '', ' ', '\\', '..\\..', '%', '?', '#');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.array(part, { maxLength: 4 }), (ref, directory) => {
      const check = (path: string) => {
        assert.ok(!path.split('/').includes('..') && !path.startsWith('/') && path !== '', path);
        return false;
      };
      const gml = ['udx', ...directory.filter((one) => /^[aB]$/.test(one)), 'x.gml'].join('/');
      const files = { has: check, findLoosely: (path: string) => (check(path) ? path : undefined) };
      resolveReferences(gml, { ...none, hrefs: [ref.join('/')] }, files);
    }),
  );
});

test('references of more than 2,000 characters are missing, and short ones are read in linear time', () => {
  const files = { has: () => false, findLoosely: () => undefined };
  const hostile = [`${'../'.repeat(40_000)}x\n`, `${'?'.repeat(60_000)}\nx`];
  const { missing } = resolveReferences('udx/bldg/a.gml', { ...none, codeSpaces: hostile }, files);
  assert.deepEqual(
    missing.map(({ ref, path }) => [ref.length, path]),
    [
      [2_000, null],
      [2_000, null],
    ],
  );
  const paths: string[] = [];
  const noting = { has: (path: string) => paths.push(path) === 0, findLoosely: () => undefined };
  resolveReferences('udx/bldg/a.gml', { ...none, images: [`a.jpg${'#'.repeat(1_900)}\nx`] }, noting);
  assert.ok(paths.includes('udx/bldg/a.jpg'));
});
