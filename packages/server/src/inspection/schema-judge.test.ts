import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { SchemasRefused, type XsdFile } from '@citymodel/inspect';
import { SchemaJudge } from './schema-judge.ts';

const LIMITS = { bytes: 32 << 20, compileMs: 60_000, compareMs: 60_000 };

function xsd(inside: string): XsdFile[] {
  const text =
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:c="urn:c" targetNamespace="urn:c" ` +
    `elementFormDefault="qualified">${inside}</xs:schema>`;
  return [{ path: 'c.xsd', bytes: Buffer.from(text) }];
}
const LIST = xsd(
  '<xs:element name="C"><xs:complexType><xs:sequence>' +
    '<xs:element name="n" type="xs:int" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>',
);
/** Of groups that each have the next one twice: twice the work for each. */
const GROUPS = Array.from({ length: 30 }, (_, i) => {
  const next = i < 29 ? `<xs:group ref="c:g${i + 1}"/>`.repeat(2) : '<xs:element name="z" type="xs:int"/>';
  return `<xs:group name="g${i}"><xs:choice>${next}</xs:choice></xs:group>`;
});
const ENDLESS = xsd(
  `${GROUPS.join('')}<xs:element name="C"><xs:complexType><xs:group ref="c:g0"/></xs:complexType></xs:element>`,
);

function compare(judge: SchemaJudge, text: string) {
  const bytes = Buffer.from(text);
  return judge.compare(bytes.length, Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]));
}

test('texts are compared one after the other in one thread', async () => {
  await using judge = new SchemaJudge(LIST, LIMITS);
  const texts = ['1', 'x', '2'].map((value) => `<C xmlns="urn:c">\n<n>${value}</n></C>`);
  const found = await Promise.all(texts.map((text) => compare(judge, text)));
  assert.deepEqual(
    found.map(({ faults }) => faults.map(({ line }) => line)),
    [[], [2], []],
  );
});

test('XSDs that cannot be used are refused for each text, in words', async () => {
  await using judge = new SchemaJudge(xsd('<xs:element name="C" type="c:none"/>'), LIMITS);
  for (const text of ['<C xmlns="urn:c"/>', '<C xmlns="urn:c">1</C>']) {
    await assert.rejects(compare(judge, text), (error) => {
      assert.ok(error instanceof SchemasRefused);
      return /libxml2 cannot use the XSDs: c\.xsd, line 1: /.test(error.message);
    });
  }
});

test('XSDs that take too long to read are refused', async () => {
  await using judge = new SchemaJudge(ENDLESS, { ...LIMITS, compileMs: 1000 });
  await assert.rejects(compare(judge, '<C xmlns="urn:c"/>'), {
    name: 'SchemasRefused',
    message: 'The XSDs cannot be used: reading them took more than 1000 ms.',
  });
});

test('a text that takes too long, and one that is too large, are passed over; the next one is compared', async () => {
  await using judge = new SchemaJudge(LIST, { ...LIMITS, bytes: 4 << 20, compareMs: 100 });
  // The place of a fault is its number among its siblings, which libxml2 counts each time.
  const slow = `<C xmlns="urn:c">${'<n>x</n>'.repeat(200_000)}</C>`;
  assert.match((await compare(judge, slow)).skipped!, /not compared with the XSDs: it took more than 100 ms/);
  const large = await judge.compare(5 << 20, Readable.from([]));
  assert.match(large.skipped!, /more than 4194304 bytes was not compared/);
  assert.match((await judge.compare(1, Readable.from([Buffer.alloc(5 << 20)]))).skipped!, /more than/);
  assert.equal((await compare(judge, '<C xmlns="urn:c"><n>x</n></C>')).faults.length, 1);
});
