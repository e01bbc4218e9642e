import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check, Finding } from '../../check.ts';
import { SCHEMA_ORDER, SCHEMAS } from './schemas.ts';

/** A file whose text is no GML, as both checks open it. */
function opened(compare: (bytes: number, text: AsyncIterable<Uint8Array>) => Promise<object>) {
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const file = {
    bytes: 7,
    spec: 6,
    shared: {},
    text: async function* () {
      yield Buffer.from('<a></a>');
    },
    package: { schemas: { compare } },
    report: (finding: Finding) => void findings.push(finding),
    skipped: (what: string) => void skipped.push(what),
  };
  const end = (check: Check) => check.open(file as never)!.end!();
  return { findings, skipped, end };
}

test('XSDs that somebody brings along say all faults, which are errors also where ours would be warnings', async () => {
  let comparisons = 0;
  const { findings, skipped, end } = opened(async (bytes, text) => {
    comparisons++;
    let read = '';
    for await (const part of text) read += part;
    const faults = [
      { line: 3, message: `${read} is wrong.` },
      { line: 4, message: 'So is this.' },
    ];
    return { faults, left: bytes, skipped: null };
  });
  await end(SCHEMA_ORDER);
  assert.deepEqual(findings, []);
  await end(SCHEMAS);
  assert.equal(comparisons, 1, 'both checks share a comparison');
  assert.deepEqual(skipped, []);
  assert.deepEqual(
    findings.map(({ id, line, message, errors, row }) => [
      id,
      line,
      message,
      errors,
      row?.['type'],
      row?.['desc'],
    ]),
    [
      [null, 3, '<a></a> is wrong.', undefined, 'SchemaError', '<a></a> is wrong.'],
      [null, 4, 'So is this.', undefined, 'SchemaError', 'So is this.'],
      [null, undefined, 'There are 7 further faults.', 7, undefined, undefined],
    ],
  );
});

test('a text that XSDs are not compared with is said', async () => {
  const why = 'No XSD has the namespace of the root element.';
  const { findings, skipped, end } = opened(async () => ({ faults: [], left: 0, skipped: why }));
  await end(SCHEMAS);
  assert.deepEqual([findings, skipped], [[], [why]]);
});
